// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplinePlugin

/// A piece of a recording: consecutive records.
struct Chunk: Sendable {
    /// What a worker needs to read the records.
    enum Content: Sendable {
        case records(RawRecords)
        /// Exchanges of databases, which the worker reads itself.
        case keys([RecordedKey], of: [RecordedStore])
    }

    /// The records.
    var content: Content
    /// How many of the records are used; a limit may exclude the rest.
    var count: Int
    /// Its number in the run, from 0 without gaps.
    var number: UInt64
    /// The position of its first record in the recording, from 0.
    var first: Int
    /// The pass over all recordings, from 0.
    var pass: Int
    /// The byte of a followed file at which its lines are counted from; positions are bytes then.
    var base: Int?
}

extension Chunk {
    /// Returns the emptied memory of raw records, for reuse; `nil` if it is too large to keep.
    consuming func takeBuffer() -> RawRecords? {
        guard case .records(var records) = content, records.byteCount <= 4 << 20 else {
            return nil
        }
        records.removeAll()
        return records
    }
}

/// Passes chunks from the reading thread to the workers.
///
/// **Shape**: at most `window` chunks exist between the oldest unfinished one and the newest. This
/// bounds memory, including that of chunks that wait for a slow chunk before being put in order.
/// **Isolation**: one reader; any number of workers.
final class ChunkQueue: Sendable {
    private struct State {
        var waiting: [Chunk] = []
        /// Used buffers for reuse.
        var spare: [RawRecords] = []
        /// Which of the chunks from `oldest` on are done, one bit each.
        var done: UInt64 = 0
        var oldest: UInt64 = 0
        var isClosed = false
        /// The workers that wait for a chunk.
        var idle: [Parker] = []
    }

    private let window: UInt64
    private let control: ReplayControl
    private let reader: Parker
    private let state = Mutex(State())

    /// Creates a queue with room for `window` chunks, at most 64.
    init(window: Int, control: ReplayControl) {
        self.window = UInt64(max(1, min(window, 64)))
        self.control = control
        reader = control.makePlace()
    }

    /// Waits until there is room for a chunk; returns whether the chunk is still wanted.
    func waitForRoom(_ number: UInt64) -> Bool {
        while !control.isOver(number) {
            if state.withLock({ number - $0.oldest < window }) { return true }
            reader.wait()
        }
        return false
    }

    /// Returns a used buffer for records of a file; `nil` if there is none.
    func takeSpare(for file: String) -> RawRecords? {
        state.withLock { state in
            if state.spare.last?.file == file { return state.spare.popLast() }
            state.spare.removeAll()
            return nil
        }
    }

    /// Adds a chunk; the caller has waited for room.
    func push(_ chunk: Chunk) {
        let worker = state.withLock { state in
            state.waiting.append(chunk)
            return state.idle.popLast()
        }
        worker?.wake()
    }

    /// Marks the queue as complete: no further chunk follows.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for place in idle { place.wake() }
    }

    /// Waits for the next chunk; returns `nil` if there are no more.
    func pop(at place: Parker) -> Chunk? {
        while true {
            let (chunk, isClosed) = state.withLock { state -> (Chunk?, Bool) in
                state.idle.removeAll { $0 === place }
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
                if !state.isClosed { state.idle.append(place) }
                return (nil, state.isClosed)
            }
            if let chunk { return control.isOver(chunk.number) ? nil : chunk }
            if isClosed || control.isStopped { return nil }
            place.wait()
        }
    }

    /// Marks a chunk as done and takes back its buffer.
    func finish(_ chunk: consuming Chunk) {
        let number = chunk.number
        let buffer = chunk.takeBuffer()
        state.withLock { state in
            if let buffer, state.spare.count < Int(window) { state.spare.append(buffer) }
            state.done |= 1 << (number - state.oldest)
            while state.done & 1 == 1 {
                state.done >>= 1
                state.oldest += 1
            }
        }
        reader.wake()
    }
}
