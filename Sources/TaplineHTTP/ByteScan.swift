// SPDX-License-Identifier: MIT

internal import TaplineModel

// The loops that a head spends its time in, on memory itself: checked indexing takes two to four
// times as long there. Everything else in this module is checked.

extension Span where Element == UInt8 {
    /// The position of the first byte at or behind `start` that is no part of a token, or the count.
    ///
    /// **Source**: RFC 9110 §5.6.2, `tchar`.
    @inline(__always)
    func endOfToken(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            var index = start
            while index < bytes.count, unsafe bytes[index].isTokenByte { index &+= 1 }
            return index
        }
    }

    /// The position of the first control character but the tab at or behind `start`, or the count.
    ///
    /// **Source**: RFC 9110 §5.5, `field-vchar`, with space, tab and `obs-text`.
    @inline(__always)
    func endOfText(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            var index = start
            // Eight bytes at a time: what is below 0x20 borrows from the upper bit, and so does
            // what is equal to 0x7F once it is turned into zero. The lowest bit set is exact.
            let ones: UInt64 = 0x0101_0101_0101_0101
            let uppers: UInt64 = 0x8080_8080_8080_8080
            while index &+ 8 <= bytes.count {
                let block = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                let delete = block ^ (ones &* 0x7F)
                let hits =
                    (((block &- ones &* 0x20) & ~block) | ((delete &- ones) & ~delete)) & uppers
                if hits == 0 {
                    index &+= 8
                    continue
                }
                index &+= hits.trailingZeroBitCount / 8
                guard unsafe bytes[index] == 0x09 else { return index }
                index &+= 1
            }
            while index < bytes.count, unsafe bytes[index].isTextByte { index &+= 1 }
            return index
        }
    }

    /// The position of the first byte at or behind `start` that no request target may hold, or the
    /// count: a control character, a space, or a fragment's `#`.
    ///
    /// Bytes above 0x7F pass, as browsers and curl send them.
    @inline(__always)
    func endOfTarget(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            var index = start
            while index < bytes.count {
                let byte = unsafe bytes[index]
                if byte <= 0x20 || byte == 0x7F || byte == 0x23 { break }
                index &+= 1
            }
            return index
        }
    }

    /// Whether the bytes at a place are these eight, read as a little-endian number.
    @inline(__always)
    func holds(_ word: UInt64, at start: Int) -> Bool {
        guard start >= 0, start &+ 8 <= count else { return false }
        return unsafe withUnsafeBytes { bytes in
            unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            ) == word
        }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends a copy; there has to be room for it.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func append(copying source: Span<UInt8>) {
        precondition(source.count <= freeCapacity, "no room for the bytes")
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe source.withUnsafeBufferPointer { bytes in
                guard let target = buffer.baseAddress, let from = bytes.baseAddress else { return }
                unsafe (target + count).update(from: from, count: bytes.count)
            }
            count &+= source.count
        }
    }
}

extension UInt8 {
    /// Whether a token may hold this byte (RFC 9110 §5.6.2).
    @inline(__always)
    var isTokenByte: Bool {
        // One bit for each of the 128 ASCII characters.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        let half = self & 0x40 == 0 ? low : high
        return self < 0x80 && half &>> UInt64(self & 0x3F) & 1 == 1
    }

    /// Whether a field value or a reason may hold this byte (RFC 9110 §5.5).
    @inline(__always)
    var isTextByte: Bool { (self >= 0x20 && self != 0x7F) || self == 0x09 }
}
