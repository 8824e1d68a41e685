// SPDX-License-Identifier: MIT

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
