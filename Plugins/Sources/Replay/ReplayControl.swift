// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineSystem

/// When a replay ends before its recordings do, and why.
///
/// Work is numbered in chunks. A failure in one chunk ends all later chunks but lets earlier ones
/// continue, so that the run always ends at the first error of the recording, regardless of the
/// number of threads. Cancellation ends all chunks.
///
/// **Isolation**: any thread.
final class ReplayControl: Sendable {
    private struct State {
        var error: (any Error)?
        var waiting: [Parker] = []
    }

    private let end = Atomic<UInt64>(.max)
    private let state = Mutex(State())

    /// Whether all work must stop.
    var isStopped: Bool { end.load(ordering: .acquiring) == 0 }

    /// Whether the run ends before its recordings do.
    var isEnding: Bool { end.load(ordering: .acquiring) != .max }

    /// Whether a chunk is no longer wanted.
    func isOver(_ chunk: UInt64) -> Bool { chunk >= end.load(ordering: .acquiring) }

    /// The error that ended the run; `nil` if there was none.
    var error: (any Error)? { state.withLock { $0.error } }

    /// Ends the run at once.
    func stop() {
        let waiting = state.withLock { state in
            end.store(0, ordering: .releasing)
            return state.waiting
        }
        for place in waiting { place.wake() }
    }

    /// Ends the run after the chunks before a given one.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - chunk: The chunk in which it occurred.
    func fail(_ error: any Error, in chunk: UInt64) {
        let waiting = state.withLock { state -> [Parker] in
            guard chunk < end.load(ordering: .relaxed) else { return [] }
            end.store(chunk, ordering: .releasing)
            state.error = error
            return state.waiting
        }
        for place in waiting { place.wake() }
    }

    /// Creates a place where a thread can wait until it is woken or the run ends.
    func makePlace() -> Parker {
        let place = Parker()
        state.withLock { $0.waiting.append(place) }
        return place
    }
}

/// A place where one thread waits for work, for room, or until a time.
///
/// The waiting thread checks its condition itself: it may be woken spuriously, but never misses a
/// wake-up.
final class Parker: Sendable {
    private let event = ThreadEvent()

    /// Wakes the thread so that it checks again.
    func wake() { event.signal() }

    /// Waits until woken.
    func wait() { event.take() }

    /// Waits until woken, or for at most a number of microseconds.
    func wait(microseconds: Int64) {
        event.take(until: SteadyClock.microseconds.addingClamped(max(microseconds, 0)))
    }
}
