// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats

/// A piece of a recording: raw records in a row.
struct Chunk: Sendable {
    /// The records.
    var records: RawRecords
    /// How many of them count; a limit may cut the rest.
    var count: Int
    /// Its number in the run, from 0 without gaps.
    var number: UInt64
    /// The position of its first record in the recording, from 0.
    var first: Int
    /// The pass over all recordings, from 0.
    var pass: Int
}

/// Hands chunks from the thread that reads to those that work.
///
/// **Shape**: at most `window` chunks lie between the oldest that is not done and the newest. This
/// bounds the memory, also of what waits behind a slow chunk to be put in order.
/// **Isolation**: one reader; any number of workers.
final class ChunkQueue: Sendable {
    private struct State {
        var waiting: [Chunk] = []
        /// Buffers that have been used, to be used again.
        var spare: [RawRecords] = []
        /// Which of the chunks from `oldest` on are done, one bit each.
        var done: UInt64 = 0
        var oldest: UInt64 = 0
        var isClosed = false
        /// The workers that wait for a chunk.
        var idle: [WaitingPlace] = []
    }

    private let window: UInt64
    private let control: ReplayControl
    private let reader: WaitingPlace
    private let state = Mutex(State())

    /// A queue with room for that many chunks; 64 at most.
    init(window: Int, control: ReplayControl) {
        self.window = UInt64(max(1, min(window, 64)))
        self.control = control
        reader = control.makePlace()
    }

    /// Waits until there is room for a chunk; returns whether it is still wanted.
    func waitForRoom(_ number: UInt64) -> Bool {
        while !control.isOver(number) {
            if state.withLock({ number - $0.oldest < window }) { return true }
            reader.wait()
        }
        return false
    }

    /// A used buffer for records of a file, where there is one.
    func takeSpare(for file: String) -> RawRecords? {
        state.withLock { state in
            if state.spare.last?.file == file { return state.spare.popLast() }
            state.spare.removeAll()
            return nil
        }
    }

    /// Hands a chunk over; the caller has waited for room.
    func push(_ chunk: Chunk) {
        let worker = state.withLock { state in
            state.waiting.append(chunk)
            return state.idle.popLast()
        }
        worker?.wake()
    }

    /// Says that there will be no further chunk.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for place in idle { place.wake() }
    }

    /// The next chunk, waited for at a place; nothing when there is none any more.
    func pop(at place: WaitingPlace) -> Chunk? {
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

    /// Says that a chunk is done, and gives its buffer back.
    func finish(_ chunk: consuming Chunk) {
        let number = chunk.number
        var records = chunk.records
        let isReusable = records.byteCount <= 4 << 20
        if isReusable { records.removeAll() }
        state.withLock { state in
            if isReusable, state.spare.count < Int(window) { state.spare.append(records) }
            state.done |= 1 << (number - state.oldest)
            while state.done & 1 == 1 {
                state.done >>= 1
                state.oldest += 1
            }
        }
        reader.wake()
    }
}
