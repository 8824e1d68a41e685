// SPDX-License-Identifier: MIT

// Copying is the one thing that `Span` cannot do as fast as memory can, so it is done here, once.

extension Array where Element == UInt8 {
    /// Copies a span.
    @inlinable
    public init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Appends a copy of a span.
    @inlinable
    public mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Copies a span over the beginning of a range that is as long at least; zeros take the rest.
    mutating func overwrite(_ range: Range<Int>, with bytes: Span<UInt8>) {
        precondition(bytes.count <= range.count && range.upperBound <= count, "no room")
        unsafe withUnsafeMutableBytes { target in
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: target[range])
            unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            for index in bytes.count..<target.count { unsafe target[index] = 0 }
        }
    }
}

extension Hasher {
    /// Hashes bytes, as many at a time as it can, and their number.
    package mutating func combine(_ bytes: Span<UInt8>) {
        combine(bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
    }
}

extension FieldSection {
    /// Copies the fields that lie in the head of a message.
    ///
    /// A section in two allocations, with room for the field or two that stages add. The lines have
    /// to lie in the head.
    public init(copying lines: Span<Line>, of head: Span<UInt8>) {
        var total = 0
        for index in lines.indices {
            let line = lines[index]
            precondition(
                line.name.upperBound <= head.count && line.value.upperBound <= head.count,
                "a field outside of its message"
            )
            total &+= Int(line.nameCount) &+ Int(line.valueCount)
        }
        self.init()
        guard total < Int(UInt32.max) else { return }
        entries.reserveCapacity(lines.count &+ Self.spareFields)
        var start: UInt32 = 0
        for index in lines.indices {
            let (name, value) = (lines[index].nameCount, lines[index].valueCount)
            entries.append(Entry(start: start, nameCount: name, valueCount: value))
            start &+= name &+ value
        }
        unsafe head.withUnsafeBytes { head in
            bytes.append(addingCapacity: total &+ Self.spareBytes) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                    var target = UnsafeMutableRawBufferPointer(buffer)
                    for index in lines.indices {
                        unsafe Self.copy(head, lines[index].name, to: &target)
                        unsafe Self.copy(head, lines[index].value, to: &target)
                    }
                    count = total
                }
            }
        }
    }

    private static let spareFields = 2
    /// At least a whole block, which `copy` may write after the last byte.
    private static let spareBytes = 64

    /// Copies a range to the front of a buffer that has room for 16 bytes more, and takes it off.
    ///
    /// Most names and many values are no longer than one block, which costs less than a call.
    @inline(__always)
    private static func copy(
        _ head: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        to target: inout UnsafeMutableRawBufferPointer
    ) {
        guard let from = head.baseAddress, let to = target.baseAddress else { return }
        let start = unsafe from + range.lowerBound
        if range.count <= 16, range.lowerBound &+ 16 <= head.count {
            let block = unsafe start.loadUnaligned(as: SIMD16<UInt8>.self)
            unsafe to.storeBytes(of: block, as: SIMD16<UInt8>.self)
        } else {
            unsafe to.copyMemory(from: start, byteCount: range.count)
        }
        unsafe target = UnsafeMutableRawBufferPointer(rebasing: target[range.count...])
    }
}

extension ByteString {
    /// Whether the inline bytes are the first of the string in memory, as `bytes(at:)` reads them.
    package static let hasInlineBytesFirst = MemoryLayout<ByteString>.offset(of: \.inline) == 0

    /// The bytes of a string where it lies, for code that hands them to C.
    ///
    /// They are good as long as the string stays as and where it is: up to 15 of them are a part of
    /// the string itself.
    @unsafe
    @inlinable
    public static func bytes(at string: UnsafePointer<ByteString>) -> UnsafeBufferPointer<UInt8> {
        // The inline bytes come first in the frozen layout (`hasInlineBytesFirst`).
        let inline = unsafe UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self)
        let last = unsafe inline[inlineCapacity]
        if last == heapMark {
            return unsafe string.pointee.heap.withUnsafeBufferPointer { unsafe $0 }
        }
        return unsafe UnsafeBufferPointer(start: inline, count: Int(last))
    }
}

// The searches below are what reading JSON and fields spends its time in. Checked indexing takes
// twice to eight times as long there, so they are the other part that is done on memory itself.

extension Span where Element == UInt8 {
    /// The position of the first of two bytes at or after `start`; the count where neither is.
    @inlinable
    public func firstIndex(ofEither first: UInt8, _ second: UInt8, from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            var index = Swift.max(start, 0)
            // Eight bytes at a time: where one is equal, its difference is zero, and taking one
            // from zero sets the upper bit; the lowest that is set belongs to the first.
            let ones: UInt64 = 0x0101_0101_0101_0101
            let uppers: UInt64 = 0x8080_8080_8080_8080
            func hits(in block: UInt64) -> UInt64 {
                let one = block ^ (ones &* UInt64(first))
                let two = block ^ (ones &* UInt64(second))
                return (((one &- ones) & ~one) | ((two &- ones) & ~two)) & uppers
            }
            while index &+ 8 <= bytes.count {
                let block = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                let hits = hits(in: block)
                if hits != 0 { return index &+ hits.trailingZeroBitCount / 8 }
                index &+= 8
            }
            if bytes.count >= 8, index < bytes.count {
                // The last eight bytes, without those before `index`; zeros follow.
                let last = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(
                        fromByteOffset: bytes.count &- 8,
                        as: UInt64.self
                    )
                )
                let block = last &>> UInt64(8 &* (8 &- (bytes.count &- index)))
                return Swift.min(index &+ hits(in: block).trailingZeroBitCount / 8, bytes.count)
            }
            while index < bytes.count {
                let byte = unsafe bytes[index]
                if byte == first || byte == second { return index }
                index &+= 1
            }
            return bytes.count
        }
    }

    /// Whether any of four bytes occurs.
    public func containsAny(
        of first: UInt8,
        _ second: UInt8,
        _ third: UInt8,
        _ fourth: UInt8
    )
        -> Bool
    {
        unsafe withUnsafeBytes { bytes in
            var index = 0
            // Eight bytes at a time: where one is equal, its difference is zero, and taking one
            // from zero sets the upper bit.
            let ones: UInt64 = 0x0101_0101_0101_0101
            let uppers: UInt64 = 0x8080_8080_8080_8080
            while index &+ 8 <= bytes.count {
                let block = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let one = block ^ (ones &* UInt64(first))
                let two = block ^ (ones &* UInt64(second))
                let three = block ^ (ones &* UInt64(third))
                let four = block ^ (ones &* UInt64(fourth))
                let hits =
                    ((one &- ones) & ~one) | ((two &- ones) & ~two)
                    | ((three &- ones) & ~three) | ((four &- ones) & ~four)
                if hits & uppers != 0 { return true }
                index &+= 8
            }
            while index < bytes.count {
                let byte = unsafe bytes[index]
                if byte == first || byte == second || byte == third || byte == fourth {
                    return true
                }
                index &+= 1
            }
            return false
        }
    }

    /// Whether both hold the same bytes.
    @inlinable
    public func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether these bytes come before others, in the order of texts.
    @inlinable
    public func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index]
        }
        return count < other.count
    }

    /// Whether these are the bytes of a text.
    @inlinable
    public func equals(_ text: String) -> Bool {
        equals(text.utf8.span)
    }

    /// Whether both hold the same bytes when ASCII letters of either case count as equal.
    @inlinable
    public func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices {
            let left = self[index]
            let right = other[index]
            if left != right, left.asciiLowercased != right.asciiLowercased { return false }
        }
        return true
    }

    /// Whether these are the bytes of a text, ASCII letters of either case counting as equal.
    @inlinable
    public func equalsIgnoringCase(_ text: String) -> Bool {
        equalsIgnoringCase(text.utf8.span)
    }

    /// Whether the bytes begin with those of a text.
    @inlinable
    public func starts(with text: String) -> Bool {
        let prefix = text.utf8.span
        return count >= prefix.count && extracting(0..<prefix.count).equals(prefix)
    }

    /// The position of the first such byte at or after `start`.
    @inlinable
    public func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        let index = firstIndex(ofEither: byte, byte, from: start)
        return index < count ? index : nil
    }

    /// The position of the last such byte.
    @inlinable
    public func lastIndex(of byte: UInt8) -> Int? {
        var index = count - 1
        while index >= 0 {
            if self[index] == byte { return index }
            index -= 1
        }
        return nil
    }

    /// The range left when spaces and tabs at both ends are taken off (RFC 9110 §5.6.3).
    @inlinable
    public func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isBlank { lower += 1 }
        while upper > lower, self[upper - 1].isBlank { upper -= 1 }
        return lower..<upper
    }

    /// A whole number in ASCII digits, or nothing when there is another byte or no digit, or when
    /// it does not fit.
    @inlinable
    public var decimal: Int? {
        guard !isEmpty else { return nil }
        var result = 0
        for index in indices {
            let digit = Int(self[index]) - 0x30
            guard 0...9 ~= digit else { return nil }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(digit)
            guard !overflow, !carry else { return nil }
            result = sum
        }
        return result
    }
}

extension UInt8 {
    /// The byte with an ASCII capital letter turned into a small one.
    @inlinable
    public var asciiLowercased: UInt8 {
        0x41...0x5A ~= self ? self | 0x20 : self
    }

    /// Whether this is a space or a tab.
    @inlinable
    public var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// The value of a hexadecimal digit of either case.
    @inlinable
    public var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// An ASCII character as a byte, for readable comparisons.
    @inlinable
    public static func ascii(_ character: Unicode.Scalar) -> UInt8 {
        UInt8(truncatingIfNeeded: character.value)
    }
}
