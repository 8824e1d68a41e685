// SPDX-License-Identifier: MIT

internal import CByteScan

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
