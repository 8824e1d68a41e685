// SPDX-License-Identifier: MIT

internal import CByteScan

/// Classes of places in a text where a value without a literal part may begin.
///
/// The search tests the classes of a few neighbouring bytes, 60 places at a time. The caller
/// examines each place.
@usableFromInline package struct ByteClassAnchors: OptionSet, Sendable, Hashable {
    /// The bits of the kinds.
    @usableFromInline package let rawValue: UInt8

    /// Makes a set of kinds from its bits.
    @usableFromInline package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An at sign that is not followed by another one.
    package static let atSign = ByteClassAnchors(rawValue: 1)
    /// The first of at least four digits in a row.
    package static let fourDigits = ByteClassAnchors(rawValue: 2)
    /// Two capital letters and two digits, as at the start of an IBAN.
    package static let countryDigits = ByteClassAnchors(rawValue: 4)
    /// The first digit of a run of any length.
    package static let digit = ByteClassAnchors(rawValue: 8)
    /// A colon followed by another colon or by a hexadecimal digit.
    package static let hexColon = ByteClassAnchors(rawValue: 16)
}

/// A place in a text and its kinds.
@frozen @usableFromInline package struct Anchor: Sendable, Hashable {
    /// The position of its first byte.
    @usableFromInline package var position: Int
    /// The possible kinds; more than one if classes overlap.
    @usableFromInline package var kinds: ByteClassAnchors

    /// Makes a place from a position and its kinds.
    @inlinable
    package init(position: Int, kinds: ByteClassAnchors) {
        self.position = position
        self.kinds = kinds
    }
}

extension ByteClassAnchors {
    /// Appends the places of these kinds that begin within a range of the text, in order.
    ///
    /// The search also reads bytes outside the range, so that searching a text range by range finds
    /// each place exactly once.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The range to search, clamped to the text; the whole text by default.
    ///   - places: The array that the places are appended to.
    package func find(
        in bytes: Span<UInt8>,
        range: Range<Int>? = nil,
        into places: inout [Anchor]
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

    private static let placesOfBlock = Int(TAPLINE_ANCHOR_COUNT)

    /// Returns the anchors of the block whose first place is `position`.
    @unsafe
    @inline(__always)
    private func block(
        _ text: UnsafeBufferPointer<UInt8>,
        from position: Int
    ) -> tapline_anchors {
        let start = position - Int(TAPLINE_ANCHOR_FIRST)
        let hasColons = contains(.hexColon)
        if start >= 0, start + 64 <= text.count, let base = text.baseAddress {
            return unsafe tapline_find_anchors(base + start, hasColons)
        }
        // Pads the block with NUL bytes at either end of the text.
        var part = InlineArray<64, UInt8>(repeating: 0)
        for index in max(start, 0)..<min(start + 64, text.count) {
            part[index - start] = unsafe text[index]
        }
        return unsafe part.span.withUnsafeBufferPointer { part in
            unsafe part.baseAddress.map { unsafe tapline_find_anchors($0, hasColons) }
        } ?? tapline_anchors()
    }

    /// Appends the anchors of these kinds among the first `count` places of a block.
    @inline(__always)
    private func append(
        _ found: tapline_anchors,
        _ count: Int,
        at position: Int,
        to places: inout [Anchor]
    ) {
        func bits(_ mask: UInt64, _ kind: ByteClassAnchors) -> UInt64 {
            contains(kind) ? mask >> UInt64(TAPLINE_ANCHOR_FIRST) : 0
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
            var kinds: ByteClassAnchors = []
            if masks.0 &>> place & 1 != 0 { kinds.insert(.atSign) }
            if masks.1 &>> place & 1 != 0 { kinds.insert(.fourDigits) }
            if masks.2 &>> place & 1 != 0 { kinds.insert(.countryDigits) }
            if masks.3 &>> place & 1 != 0 { kinds.insert(.digit) }
            if masks.4 &>> place & 1 != 0 { kinds.insert(.hexColon) }
            places.append(Anchor(position: position + Int(place), kinds: kinds))
        }
    }
}
