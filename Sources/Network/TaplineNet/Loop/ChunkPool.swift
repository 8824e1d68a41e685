// SPDX-License-Identifier: MIT

/// The header of a chunk of memory for output; the bytes follow it.
@unsafe
struct Chunk {
    var next: UnsafeMutablePointer<Chunk>?
    /// The bytes to be sent are between `start` and `end`.
    var start: Int
    var end: Int
}

/// A pool of chunks of one size.
@safe
final class ChunkPool {
    /// The number of bytes in a chunk.
    let capacity: Int
    private let kept: Int
    private var unused: UnsafeMutablePointer<Chunk>?
    private var unusedCount = 0
    /// The number of chunks in use.
    private(set) var usedCount = 0

    init(chunkBytes: Int, pooledBytes: Int) {
        let bytes = min(max(chunkBytes, 1024), 1 << 24)
        capacity = unsafe bytes - MemoryLayout<Chunk>.size
        kept = max(pooledBytes / bytes, 1)
    }

    deinit {
        assert(usedCount == 0, "output was not returned to the pool")
        while let chunk = unsafe unused {
            unsafe unused = chunk.pointee.next
            unsafe UnsafeMutableRawPointer(chunk).deallocate()
        }
    }

    func take() -> UnsafeMutablePointer<Chunk> {
        usedCount += 1
        if let chunk = unsafe unused {
            unsafe unused = chunk.pointee.next
            unusedCount -= 1
            unsafe chunk.pointee = Chunk(next: nil, start: 0, end: 0)
            return unsafe chunk
        }
        let memory = unsafe UnsafeMutableRawPointer.allocate(
            byteCount: capacity + MemoryLayout<Chunk>.size,
            alignment: MemoryLayout<Chunk>.alignment
        )
        return unsafe memory.initializeMemory(
            as: Chunk.self,
            repeating: Chunk(next: nil, start: 0, end: 0),
            count: 1
        )
    }

    func give(_ chunk: UnsafeMutablePointer<Chunk>) {
        usedCount -= 1
        guard unusedCount < kept else {
            unsafe UnsafeMutableRawPointer(chunk).deallocate()
            return
        }
        unsafe chunk.pointee.next = unused
        unsafe unused = chunk
        unusedCount += 1
    }
}
