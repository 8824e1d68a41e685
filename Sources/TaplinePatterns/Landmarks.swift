// SPDX-License-Identifier: MIT

/// Places in a text where something may stand that has no literal part of its own.
///
/// They are found by the classes of a few neighbouring bytes, 16 places at a time; what stands
/// there is for the caller to look at.
public struct Landmarks: OptionSet, Sendable, Hashable {
    /// Which of them.
    public let rawValue: UInt8

    /// A choice of landmarks.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An at sign.
    public static let atSign = Landmarks(rawValue: 1)
    /// The first of at least four digits in a row.
    public static let fourDigits = Landmarks(rawValue: 2)
    /// Two capital letters and two digits, as an IBAN begins.
    public static let countryDigits = Landmarks(rawValue: 4)
    /// The first of any number of digits in a row.
    public static let digit = Landmarks(rawValue: 8)
    /// A colon with another one or a hexadecimal digit behind it.
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
        unsafe bytes.withUnsafeBytes { raw in
            var position = range.lowerBound
            // The first byte has none before it, and a block looks three bytes ahead.
            if position == 0, !range.isEmpty {
                unsafe append(0, in: raw, to: &places)
                position = 1
            }
            let lastBlock = min(range.upperBound, raw.count - 3) - Block.scalarCount
            let wanted = Wanted(self)
            while position <= lastBlock {
                let found = unsafe wanted.places(in: raw, at: position)
                if found[0] | found[1] != 0 {
                    unsafe append(found[0], at: position, in: raw, to: &places)
                    unsafe append(found[1], at: position + 8, in: raw, to: &places)
                }
                position += Block.scalarCount
            }
            while position < range.upperBound {
                unsafe append(position, in: raw, to: &places)
                position += 1
            }
        }
    }

    /// Looks closely at the places of eight whose byte in the mask is not zero.
    @unsafe
    private func append(
        _ mask: UInt64,
        at start: Int,
        in raw: UnsafeRawBufferPointer,
        to places: inout [Landmark]
    ) {
        var mask = UInt64(littleEndian: mask)
        while mask != 0 {
            let byte = mask.trailingZeroBitCount >> 3
            unsafe append(start + byte, in: raw, to: &places)
            mask &= ~(0xFF << UInt64(byte << 3))
        }
    }

    /// Appends the place if it is one; this is what the blocks agree with.
    @unsafe
    private func append(
        _ position: Int,
        in raw: UnsafeRawBufferPointer,
        to places: inout [Landmark]
    ) {
        let first = unsafe raw[position]
        // Most bytes begin nothing.
        guard first.isDigit || first.isCapital || first == 0x40 || first == 0x3A else { return }
        func byte(_ offset: Int) -> UInt8 {
            let index = position + offset
            return index >= 0 && index < raw.count ? unsafe raw[index] : 0
        }
        var kinds: Landmarks = []
        if first == 0x40 { kinds.insert(.atSign) }
        if first.isDigit, !byte(-1).isDigit {
            kinds.insert(.digit)
            if byte(1).isDigit, byte(2).isDigit, byte(3).isDigit { kinds.insert(.fourDigits) }
        }
        if first.isCapital, byte(1).isCapital, byte(2).isDigit, byte(3).isDigit {
            kinds.insert(.countryDigits)
        }
        if first == 0x3A, byte(1).isHex || byte(1) == 0x3A { kinds.insert(.hexColon) }
        kinds.formIntersection(self)
        if !kinds.isEmpty { places.append(Landmark(position: position, kinds: kinds)) }
    }
}

private typealias Block = SIMD16<UInt8>

/// The kinds that are looked for, as masks that are all ones or all zero.
private struct Wanted {
    let atSign: Block
    let fourDigits: Block
    let countryDigits: Block
    let digit: Block
    let hexColon: Block

    init(_ kinds: Landmarks) {
        func mask(_ kind: Landmarks) -> Block {
            Block(repeating: kinds.contains(kind) ? 0xFF : 0)
        }
        atSign = mask(.atSign)
        fourDigits = mask(.fourDigits)
        countryDigits = mask(.countryDigits)
        digit = mask(.digit)
        hexColon = mask(.hexColon)
    }

    /// A byte that is not zero for each place of the 16 from `position` on.
    @unsafe
    @inline(__always)
    func places(in raw: UnsafeRawBufferPointer, at position: Int) -> SIMD2<UInt64> {
        let before = unsafe raw.loadUnaligned(fromByteOffset: position - 1, as: Block.self)
        let first = unsafe raw.loadUnaligned(fromByteOffset: position, as: Block.self)
        let second = unsafe raw.loadUnaligned(fromByteOffset: position + 1, as: Block.self)
        let third = unsafe raw.loadUnaligned(fromByteOffset: position + 2, as: Block.self)
        let fourth = unsafe raw.loadUnaligned(fromByteOffset: position + 3, as: Block.self)
        let twoDigits = Self.within(third, 0x30, 10) & Self.within(fourth, 0x30, 10)
        let start = Self.within(first, 0x30, 10) & ~Self.within(before, 0x30, 10)
        let four = start & Self.within(second, 0x30, 10) & twoDigits
        let country = Self.within(first, 0x41, 26) & Self.within(second, 0x41, 26) & twoDigits
        // A little wider than hexadecimal digits: 0 to : and letters up to f.
        let hex = Self.within(second, 0x30, 11) | Self.within(second | 0x20, 0x61, 6)
        let colon = Self.within(first, 0x3A, 1) & hex
        let found =
            (Self.within(first, 0x40, 1) & atSign) | (four & fourDigits)
            | (country & countryDigits) | (start & digit) | (colon & hexColon)
        return unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
    }

    /// All ones where a byte is one of `count` from `low` on.
    @inline(__always)
    private static func within(_ block: Block, _ low: UInt8, _ count: UInt8) -> Block {
        let isWithin = (block &- Block(repeating: low)) .< Block(repeating: count)
        return Block(repeating: 0).replacing(with: 0xFF, where: isWithin)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { 0x30...0x39 ~= self }
    fileprivate var isCapital: Bool { 0x41...0x5A ~= self }
    fileprivate var isHex: Bool { isDigit || 0x61...0x66 ~= self | 0x20 }
}
