// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// When a replay ends before its recordings do, and why.
///
/// Work is numbered in chunks. A failure in one chunk ends what comes after it, and lets what
/// comes before go on, so that the run always ends at the first error of the recording, whatever
/// the number of threads. Cancellation ends all of it.
///
/// **Isolation**: any thread.
final class ReplayControl: Sendable {
    private struct State {
        var error: (any Error)?
        var waiting: [WaitingPlace] = []
    }

    private let end = Atomic<UInt64>(.max)
    private let state = Mutex(State())

    /// Whether everything is to stop.
    var isStopped: Bool { end.load(ordering: .acquiring) == 0 }

    /// Whether the run ends somewhere before its recordings do.
    var isEnding: Bool { end.load(ordering: .acquiring) != .max }

    /// Whether a chunk is not wanted any more.
    func isOver(_ chunk: UInt64) -> Bool { chunk >= end.load(ordering: .acquiring) }

    /// What ended the run, if something did.
    var error: (any Error)? { state.withLock { $0.error } }

    /// Ends the run at once.
    func stop() {
        let waiting = state.withLock { state in
            end.store(0, ordering: .releasing)
            return state.waiting
        }
        for place in waiting { place.wake() }
    }

    /// Ends the run after what comes before a chunk.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - chunk: The chunk in which it happened.
    func fail(_ error: any Error, in chunk: UInt64) {
        let waiting = state.withLock { state -> [WaitingPlace] in
            guard chunk < end.load(ordering: .relaxed) else { return [] }
            end.store(chunk, ordering: .releasing)
            state.error = error
            return state.waiting
        }
        for place in waiting { place.wake() }
    }

    /// A place where a thread can wait and is woken when the run ends.
    func makePlace() -> WaitingPlace {
        let place = WaitingPlace()
        state.withLock { $0.waiting.append(place) }
        return place
    }
}

/// Where one thread waits: for work, for room, or for its time.
///
/// The one who waits looks for itself whether what it waits for is there; it may be woken without
/// need, and never sleeps through a call.
final class WaitingPlace: Sendable {
    /// Starts at 0, since Dispatch forbids ending below the start.
    private let semaphore = DispatchSemaphore(value: 0)

    /// Has the thread look again.
    func wake() { semaphore.signal() }

    /// Waits until called.
    func wait() { semaphore.wait() }

    /// Waits until called, or some microseconds long.
    func wait(microseconds: Int64) {
        let bounded = Int(clamping: min(max(microseconds, 0), 3_600_000_000))
        _ = semaphore.wait(timeout: .now() + .microseconds(bounded))
    }
}
