// SPDX-License-Identifier: MIT

import CUV
import TestSupport
import Testing

@testable import TaplineNet

@Suite("The output of a connection")
struct OutputQueueTests {
    /// Returns the bytes in the first buffers of a queue.
    private func first(_ limit: Int, of queue: OutputQueue) -> [UInt8] {
        unsafe withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: limit) { buffers in
            let (count, total) = unsafe queue.gather(into: buffers)
            var bytes: [UInt8] = []
            for index in 0..<count {
                let part = unsafe UnsafeRawBufferPointer(
                    start: buffers[index].base,
                    count: Int(buffers[index].len)
                )
                unsafe bytes.append(contentsOf: part)
            }
            #expect(bytes.count == total)
            return bytes
        }
    }

    private func append(_ bytes: [UInt8], to queue: OutputQueue, _ pool: ChunkPool) {
        unsafe bytes.withUnsafeBytes { unsafe queue.append($0, pool) }
    }

    @Test("is sent in order, however it is divided")
    func order() {
        let pool = ChunkPool(chunkBytes: 1024, pooledBytes: 4096)
        let queue = OutputQueue()
        var random = Random(seed: 3)
        var expected: [UInt8] = []
        for _ in 0..<2000 {
            if random.below(2) == 0 {
                let bytes = random.bytes(upTo: random.pick([3, 1500, 5000]))
                append(bytes, to: queue, pool)
                expected += bytes
            } else {
                let sent = random.below(min(expected.count, 3000) + 1)
                queue.removeFirst(sent, pool)
                expected.removeFirst(sent)
            }
            #expect(queue.count == expected.count && queue.isEmpty == expected.isEmpty)
            let found = first(4, of: queue)
            #expect(found == Array(expected.prefix(found.count)))
            #expect(found.isEmpty == expected.isEmpty)
        }
        queue.removeAll(pool)
        #expect(queue.isEmpty && pool.usedCount == 0)
    }

    @Test("is gathered only into the given buffers")
    func limit() {
        let pool = ChunkPool(chunkBytes: 1024, pooledBytes: 4096)
        let queue = OutputQueue()
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        append(bytes, to: queue, pool)
        #expect(first(2, of: queue) == Array(bytes.prefix(2 * pool.capacity)))
        #expect(first(20, of: queue) == bytes)
        queue.removeAll(pool)
    }

    @Test("holds chunks only as long as their bytes wait")
    func memory() {
        let pool = ChunkPool(chunkBytes: 1024, pooledBytes: 4096)
        let queue = OutputQueue()
        append(Array(repeating: 1, count: 3 * pool.capacity), to: queue, pool)
        #expect(pool.usedCount == 3)
        queue.removeFirst(pool.capacity - 1, pool)
        #expect(pool.usedCount == 3)
        queue.removeFirst(1, pool)
        #expect(pool.usedCount == 2)
        queue.removeFirst(2 * pool.capacity, pool)
        #expect(pool.usedCount == 0)
    }

    @Test("uses the chunks again that were returned to the pool")
    func reuse() {
        let pool = ChunkPool(chunkBytes: 1024, pooledBytes: 2048)
        let chunk = unsafe pool.take()
        unsafe pool.give(chunk)
        let next = unsafe pool.take()
        #expect(unsafe next == chunk)
        #expect(pool.usedCount == 1)
        unsafe pool.give(next)
    }
}
