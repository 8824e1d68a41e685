// SPDX-License-Identifier: MIT

internal import CByteScan

extension Span where Element == UInt8 {
    /// Whether both contain the same bytes.
    @usableFromInline package func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBufferPointer { bytes in
            unsafe other.withUnsafeBufferPointer { other in
                guard let left = bytes.baseAddress, let right = other.baseAddress else {
                    return true
                }
                return unsafe left == right || tapline_equal(left, right, bytes.count)
            }
        }
    }

    /// Whether these are the UTF-8 bytes of a text.
    @inlinable
    package func equals(_ text: String) -> Bool {
        equals(text.utf8.span)
    }

    /// Whether these are the bytes of a compile-time constant.
    ///
    /// The length of a literal is known too, so eight bytes are compared at a time.
    @inlinable
    @inline(__always)
    package func isExactly(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBytes { bytes in
            let other = unsafe UnsafeRawBufferPointer(start: text.utf8Start, count: bytes.count)
            var index = 0
            while bytes.count &- index >= 8 {
                let left = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let right = unsafe other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if left != right { return false }
                index &+= 8
            }
            while index < bytes.count {
                if unsafe bytes[index] != other[index] { return false }
                index &+= 1
            }
            return true
        }
    }

    /// Whether the bytes of a text are at a position; `false` if they would be out of bounds.
    package func hasBytes(_ text: StaticString, at start: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard start >= 0, length <= count, start <= count - length else { return false }
        return extracting(start..<start + length).isExactly(text)
    }

    /// Whether these bytes sort before others, byte by byte.
    @inlinable
    package func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index]
        }
        return count < other.count
    }

    /// Whether both contain the same bytes, ignoring the case of ASCII letters.
    @inlinable
    package func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices {
            let left = self[index]
            let right = other[index]
            if left != right, left.asciiLowercased != right.asciiLowercased { return false }
        }
        return true
    }

    /// Whether these are the bytes of a text, ignoring the case of ASCII letters.
    @inlinable
    package func equalsIgnoringCase(_ text: String) -> Bool {
        equalsIgnoringCase(text.utf8.span)
    }

    /// Whether the bytes begin with other bytes.
    @inlinable
    package func starts(with prefix: Span<UInt8>) -> Bool {
        count >= prefix.count && extracting(0..<prefix.count).equals(prefix)
    }

    /// Whether the bytes begin with a text.
    @inlinable
    package func starts(with text: String) -> Bool {
        let prefix = text.utf8.span
        return count >= prefix.count && extracting(0..<prefix.count).equals(prefix)
    }

    /// Whether the bytes begin with a text, ignoring the case of ASCII letters.
    @inlinable
    package func starts(withIgnoringCase text: String) -> Bool {
        let prefix = text.utf8.span
        return count >= prefix.count && extracting(0..<prefix.count).equalsIgnoringCase(prefix)
    }

    /// Whether every byte is below 128.
    @inlinable
    package var isASCII: Bool {
        unsafe withUnsafeBytes { bytes in
            var index = 0
            var seen: UInt64 = 0
            while bytes.count &- index >= 8 {
                seen |= unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                index &+= 8
            }
            while index < bytes.count {
                seen |= UInt64(unsafe bytes[index])
                index &+= 1
            }
            return seen & 0x8080_8080_8080_8080 == 0
        }
    }
}
