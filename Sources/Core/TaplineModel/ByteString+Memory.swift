// SPDX-License-Identifier: MIT

internal import CByteScan

extension ByteString {
    /// Whether the inline bytes are at the start of the string's memory, as `bytes(at:)` assumes.
    package static let hasInlineBytesFirst = MemoryLayout<ByteString>.offset(of: \.inline) == 0

    /// The bytes of a string in place, for code that passes them to C.
    ///
    /// They are valid as long as the string is neither changed nor moved: up to 15 bytes are stored
    /// in the string itself.
    @unsafe
    @inlinable
    package static func bytes(at string: UnsafePointer<ByteString>) -> UnsafeBufferPointer<UInt8> {
        // The inline bytes come first in the frozen layout (`hasInlineBytesFirst`).
        let inline = unsafe UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self)
        let last = unsafe inline[inlineCapacity]
        if last == heapMark {
            return unsafe string.pointee.heap.withUnsafeBufferPointer { unsafe $0 }
        }
        return unsafe UnsafeBufferPointer(start: inline, count: Int(last))
    }

    /// Whether both share their memory, or have the same bytes inline.
    package func isIdentical(to other: ByteString) -> Bool {
        words == other.words && heap.span.isIdentical(to: other.heap.span)
    }

    /// The inline bytes.
    private var words: (UInt64, UInt64) {
        unsafe unsafeBitCast(inline, to: (UInt64, UInt64).self)
    }
}

extension InlineArray<16, UInt8> {
    /// Copies at most fifteen bytes; zeros follow.
    init(copying bytes: Span<UInt8>) {
        precondition(bytes.count < 16, "too many bytes")
        let words = unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return (UInt64(0), UInt64(0)) }
            let count = bytes.count
            guard count > 8 else {
                return unsafe (
                    count < 8 ? tapline_short_word(base, count) : tapline_word(base), 0
                )
            }
            return unsafe (
                tapline_word(base), tapline_word(base + count - 8) >> UInt64(8 * (16 - count))
            )
        }
        self = unsafe unsafeBitCast(words, to: InlineArray<16, UInt8>.self)
    }
}
