// SPDX-License-Identifier: MIT

internal import CByteScan

// Reading JSON and fields spends most of its time in the searches below. Checked indexing is two to
// eight times slower there, so they access memory directly.

/// Marks which of eight bytes equal a byte, by their upper bits; the lowest set bit is exact.
///
/// The difference of equal bytes is zero, and subtracting one from zero sets the upper bit.
@inlinable
@inline(__always)
func hits(of byte: UInt8, in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & 0x8080_8080_8080_8080
}

extension Span where Element == UInt8 {
    /// The position of the first of two bytes at or after `start`; the count if neither occurs.
    @usableFromInline package func firstIndex(
        ofEither first: UInt8,
        _ second: UInt8,
        from start: Int
    ) -> Int {
        unsafe search(from: Swift.max(start, 0)) {
            unsafe tapline_next_either($0, $1, $2, first, second)
        }
    }

    /// The position of the first occurrence of a byte at or after `start`.
    @inlinable
    package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        let index = firstIndex(ofEither: byte, byte, from: start)
        return index < count ? index : nil
    }

    /// The position of the first occurrence of a byte at or after `start`, for long texts.
    ///
    /// Uses the C library's search. Its call costs more than searching a short text, but it is
    /// several times as fast in a long one.
    package func firstIndex(of byte: UInt8, inLongTextFrom start: Int) -> Int? {
        let index = unsafe search(from: start) { unsafe tapline_find($0, $1, $2, byte) }
        return index < count ? index : nil
    }

    /// The position of the last occurrence of a byte.
    @inlinable
    package func lastIndex(of byte: UInt8) -> Int? {
        var index = count - 1
        while index >= 0 {
            if self[index] == byte { return index }
            index -= 1
        }
        return nil
    }

    /// The first position within a range at which other bytes occur completely.
    ///
    /// `nil` if the other bytes are empty.
    package func firstIndex(of part: Span<UInt8>, in range: Range<Int>) -> Int? {
        guard !part.isEmpty, range.count >= part.count else { return nil }
        // The last possible position.
        let last = range.upperBound - part.count
        let heads = extracting(0..<last + 1)
        var position = range.lowerBound
        while let found = heads.firstIndex(of: part[0], from: position) {
            if extracting(found..<found + part.count).equals(part) { return found }
            position = found + 1
        }
        return nil
    }

    /// Whether other bytes occur in these.
    ///
    /// If `ignoringCase` is set, the case of ASCII letters is ignored, and `part` must be lower
    /// case.
    package func contains(_ part: Span<UInt8>, ignoringCase: Bool) -> Bool {
        guard !part.isEmpty else { return true }
        guard part.count <= count else { return false }
        guard ignoringCase else { return firstIndex(of: part, in: 0..<count) != nil }
        let small = part[0]
        let capital = 0x61...0x7A ~= small ? small & 0xDF : small
        let heads = extracting(0..<count - part.count + 1)
        var position = 0
        while true {
            let found = heads.firstIndex(ofEither: small, capital, from: position)
            guard found < heads.count else { return false }
            if extracting(found..<found + part.count).equalsIgnoringCase(part) { return true }
            position = found + 1
        }
    }

    /// The number of occurrences of a byte.
    package func count(of byte: UInt8) -> Int {
        unsafe withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe tapline_count($0, bytes.count, byte) } ?? 0
        }
    }

    /// Whether any of four bytes occurs.
    package func containsAny(
        of first: UInt8,
        _ second: UInt8,
        _ third: UInt8,
        _ fourth: UInt8
    ) -> Bool {
        unsafe withUnsafeBytes { bytes in
            var index = 0
            while index &+ 8 <= bytes.count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let found =
                    hits(of: first, in: word) | hits(of: second, in: word)
                    | hits(of: third, in: word) | hits(of: fourth, in: word)
                if found != 0 { return true }
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

    /// Passes the memory, a start position and the count to a search, such as one of `CByteScan`.
    ///
    /// - Returns: The result of the search; the count if `start` is out of bounds.
    @unsafe
    @inlinable
    @inline(__always)
    package func search(
        from start: Int,
        _ next: (UnsafePointer<UInt8>, Int, Int) -> Int
    ) -> Int {
        unsafe withUnsafeBufferPointer { bytes in
            guard start >= 0, start < bytes.count, let base = bytes.baseAddress else {
                return bytes.count
            }
            return unsafe next(base, start, bytes.count)
        }
    }
}
