// SPDX-License-Identifier: MIT

internal import CByteScan

/// Places in a text where something may stand that has no literal part of its own.
///
/// They are found by the classes of a few neighbouring bytes, 60 places at a time; what stands
/// there is for the caller to look at.
public struct Landmarks: OptionSet, Sendable, Hashable {
    /// Which of them.
    public let rawValue: UInt8

    /// A choice of landmarks.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An at sign that no other one follows.
    public static let atSign = Landmarks(rawValue: 1)
    /// The first of at least four digits in a row.
    public static let fourDigits = Landmarks(rawValue: 2)
    /// Two capital letters and two digits, as an IBAN begins.
    public static let countryDigits = Landmarks(rawValue: 4)
    /// The first of any number of digits in a row.
    public static let digit = Landmarks(rawValue: 8)
    /// A colon with another one or a hexadecimal digit after it.
    public static let hexColon = Landmarks(rawValue: 16)
}

/// A place in a text, and what was seen there.
@frozen public struct Landmark: Sendable, Hashable {
    /// The position of its first byte.
    public var position: Int
    /// What it may be; more than one where classes overlap.
    public var kinds: Landmarks

    /// A place and its kinds.
    @inlinable
    public init(position: Int, kinds: Landmarks) {
        self.position = position
        self.kinds = kinds
    }
}

extension Landmarks {
    /// Appends the places of these kinds that begin within a part of the text, in order.
    ///
    /// Bytes outside the part are looked at, so that a text that is searched part by part gives
    /// each place once.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part; what lies outside the text is left out.
    ///   - places: Gets the places.
    public func find(
        in bytes: Span<UInt8>,
        range: Range<Int>? = nil,
        into places: inout [Landmark]
    ) {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        guard !isEmpty else { return }
        unsafe bytes.withUnsafeBufferPointer { text in
            var position = range.lowerBound
            while position < range.upperBound {
                let count = min(Self.placesOfBlock, range.upperBound - position)
                let found = unsafe block(text, from: position)
                append(found, count, at: position, to: &places)
                position += count
            }
        }
    }

    private static let placesOfBlock = Int(TAPLINE_LANDMARK_COUNT)

    /// What begins at the places of a block of which the first is `position`.
    @unsafe
    @inline(__always)
    private func block(
        _ text: UnsafeBufferPointer<UInt8>,
        from position: Int
    ) -> tapline_landmarks {
        let start = position - Int(TAPLINE_LANDMARK_FIRST)
        let hasColons = contains(.hexColon)
        if start >= 0, start + 64 <= text.count, let base = text.baseAddress {
            return unsafe tapline_find_landmarks(base + start, hasColons)
        }
        // At either end of the text there is nothing, as a NUL is.
        var part = InlineArray<64, UInt8>(repeating: 0)
        for index in max(start, 0)..<min(start + 64, text.count) {
            part[index - start] = unsafe text[index]
        }
        return unsafe part.span.withUnsafeBufferPointer { part in
            unsafe part.baseAddress.map { unsafe tapline_find_landmarks($0, hasColons) }
        } ?? tapline_landmarks()
    }

    /// Appends the first `count` places of a block that are of these kinds.
    @inline(__always)
    private func append(
        _ found: tapline_landmarks,
        _ count: Int,
        at position: Int,
        to places: inout [Landmark]
    ) {
        func bits(_ mask: UInt64, _ kind: Landmarks) -> UInt64 {
            contains(kind) ? mask >> UInt64(TAPLINE_LANDMARK_FIRST) : 0
        }
        let masks = (
            bits(found.at_sign, .atSign), bits(found.four_digits, .fourDigits),
            bits(found.country_digits, .countryDigits), bits(found.digit, .digit),
            bits(found.hex_colon, .hexColon)
        )
        var rest = masks.0 | masks.1 | masks.2 | masks.3 | masks.4
        rest &= (1 &<< UInt64(count)) &- 1
        while rest != 0 {
            let place = UInt64(rest.trailingZeroBitCount)
            rest &= rest &- 1
            var kinds: Landmarks = []
            if masks.0 &>> place & 1 != 0 { kinds.insert(.atSign) }
            if masks.1 &>> place & 1 != 0 { kinds.insert(.fourDigits) }
            if masks.2 &>> place & 1 != 0 { kinds.insert(.countryDigits) }
            if masks.3 &>> place & 1 != 0 { kinds.insert(.digit) }
            if masks.4 &>> place & 1 != 0 { kinds.insert(.hexColon) }
            places.append(Landmark(position: position + Int(place), kinds: kinds))
        }
    }
}
