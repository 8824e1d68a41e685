// SPDX-License-Identifier: MIT

internal import CSimdjsonShims

extension Span<UInt8> {
    /// Whether these are exactly the bytes of a text.
    ///
    /// Made for keys: with a literal the length is known when the caller is compiled, and eight
    /// bytes are compared at a time.
    /// - Parameter text: The text to compare with.
    /// - Returns: True when length and bytes are the same.
    @inlinable @inline(__always)
    public func elementsEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBytes { buffer in
            let other = unsafe UnsafeRawBufferPointer(start: text.utf8Start, count: buffer.count)
            var at = 0
            while buffer.count &- at >= 8 {
                let left = unsafe buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                let right = unsafe other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                if left != right { return false }
                at &+= 8
            }
            while at < buffer.count {
                if unsafe buffer[at] != other[at] { return false }
                at &+= 1
            }
            return true
        }
    }
}

/// Whether bytes are valid UTF-8 (RFC 3629), by a vectorised check with a fast way for ASCII.
/// - Parameter bytes: The bytes.
/// - Returns: True when they are; of no bytes too.
public func isValidUTF8(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return true }
        return unsafe tapline_json_is_utf8(base, buffer.count)
    }
}

extension Span<UInt8> {
    /// Whether every byte is below 128.
    ///
    /// For short texts this is faster than `isValidUTF8`, whose call costs more than the look.
    @inlinable public var isASCII: Bool {
        unsafe withUnsafeBytes { buffer in
            var at = 0
            var seen: UInt64 = 0
            while buffer.count &- at >= 8 {
                seen |= unsafe buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                at &+= 8
            }
            while at < buffer.count {
                seen |= UInt64(unsafe buffer[at])
                at &+= 1
            }
            return seen & 0x8080_8080_8080_8080 == 0
        }
    }
}

extension Span<UInt8> {
    /// The position of the first such byte at or after a position.
    ///
    /// By the C library's vectorised search: for line ends in long texts.
    /// - Parameters:
    ///   - byte: The byte.
    ///   - start: Where to begin, at most `count`.
    /// - Returns: The position, or nil.
    public func firstIndex(of byte: UInt8, after start: Int) -> Int? {
        unsafe withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, start < buffer.count else { return nil }
            let found = unsafe tapline_json_find(base + start, buffer.count - start, byte)
            return found < buffer.count - start ? start + found : nil
        }
    }

    /// The position of the first quote or backslash at or after a position: where the clean run of
    /// a JSON string ends.
    /// - Parameter start: Where to begin, at most `count`.
    /// - Returns: The position, or nil.
    public func firstQuoteOrBackslash(after start: Int) -> Int? {
        unsafe withUnsafeBytes { buffer in
            let ones: UInt64 = 0x0101_0101_0101_0101
            var at = start
            while buffer.count &- at >= 8 {
                let word = UInt64(
                    littleEndian: unsafe buffer.loadUnaligned(
                        fromByteOffset: at,
                        as: UInt64.self
                    )
                )
                let quote = word ^ (ones &* 0x22)
                let backslash = word ^ (ones &* 0x5C)
                let hits =
                    (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash))
                    & (ones &* 0x80)
                if hits != 0 { return at &+ hits.trailingZeroBitCount &>> 3 }
                at &+= 8
            }
            while at < buffer.count {
                if unsafe buffer[at] == 0x22 || buffer[at] == 0x5C { return at }
                at &+= 1
            }
            return nil
        }
    }
}
