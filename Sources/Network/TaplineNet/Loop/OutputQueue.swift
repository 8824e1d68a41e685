// SPDX-License-Identifier: MIT

internal import CUV

/// Bytes that wait to be sent, in chunks of a pool.
///
/// An empty queue holds no memory.
///
/// The owner has to call `removeAll` before it is released. A class, since each access to a struct
/// in a connection would be checked for exclusivity.
@safe
final class OutputQueue {
    private var first: UnsafeMutablePointer<Chunk>?
    private var last: UnsafeMutablePointer<Chunk>?
    /// The number of bytes that wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    private static func bytes(of chunk: UnsafeMutablePointer<Chunk>) -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(chunk) + MemoryLayout<Chunk>.size
    }

    /// Appends a copy of bytes.
    func append(_ bytes: UnsafeRawBufferPointer, _ pool: ChunkPool) {
        guard var source = bytes.baseAddress else { return }
        var left = bytes.count
        count += left
        while left > 0 {
            let chunk = unsafe lastWithRoom(pool)
            let part = unsafe min(left, pool.capacity - chunk.pointee.end)
            unsafe (Self.bytes(of: chunk) + chunk.pointee.end)
                .copyMemory(from: source, byteCount: part)
            unsafe chunk.pointee.end += part
            unsafe source += part
            left -= part
        }
    }

    private func lastWithRoom(_ pool: ChunkPool) -> UnsafeMutablePointer<Chunk> {
        if let last = unsafe last, unsafe last.pointee.end < pool.capacity { return unsafe last }
        let chunk = unsafe pool.take()
        if let last = unsafe last { unsafe last.pointee.next = chunk } else { unsafe first = chunk }
        unsafe last = chunk
        return unsafe chunk
    }

    /// Fills buffers with the positions of the first bytes.
    ///
    /// - Parameters:
    ///   - buffers: The buffers.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The number of buffers, and the number of bytes in them.
    func gather(
        into buffers: UnsafeMutableBufferPointer<uv_buf_t>,
        atMost limit: Int = .max
    ) -> (buffers: Int, bytes: Int) {
        var chunk = unsafe first
        var filled = 0
        var total = 0
        while filled < buffers.count, total < limit, let current = unsafe chunk {
            let size = unsafe min(current.pointee.end - current.pointee.start, limit - total)
            let start = unsafe Self.bytes(of: current) + current.pointee.start
            unsafe buffers[filled] = uv_buf_t(
                base: start.assumingMemoryBound(to: CChar.self),
                len: size
            )
            filled += 1
            total += size
            unsafe chunk = current.pointee.next
        }
        return (filled, total)
    }

    /// Removes the first bytes, which have been sent.
    func removeFirst(_ sent: Int, _ pool: ChunkPool) {
        count -= sent
        var left = sent
        while left > 0, let chunk = unsafe first {
            let size = unsafe chunk.pointee.end - chunk.pointee.start
            if left < size {
                unsafe chunk.pointee.start += left
                return
            }
            left -= size
            unsafe first = chunk.pointee.next
            if unsafe first == nil { unsafe last = nil }
            unsafe pool.give(chunk)
        }
    }

    /// Removes all bytes.
    func removeAll(_ pool: ChunkPool) { removeFirst(count, pool) }
}
