// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineKafkaClient

/// What other threads report to the thread that reads; each report ends its wait for messages.
final class KafkaSignals: Sendable {
    private struct State {
        var isStopped = false
        var hasRoom = true
        var waker: KafkaWaker?
    }

    private let state = Mutex(State())

    /// Whether the run is stopped.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Whether the sinks have room.
    var hasRoom: Bool { state.withLock { $0.hasRoom } }

    /// Sets what ends the wait.
    func attach(_ waker: KafkaWaker) { state.withLock { $0.waker = waker } }

    /// Prepares to wait for room.
    func awaitRoom() { state.withLock { $0.hasRoom = false } }

    /// The sinks have room.
    func roomFound() { change { $0.hasRoom = true } }

    /// The run is stopped.
    func stop() { change { $0.isStopped = true } }

    private func change(_ change: (inout State) -> Void) {
        let waker = state.withLock { state in
            change(&state)
            return state.waker
        }
        waker?.wake()
    }
}
