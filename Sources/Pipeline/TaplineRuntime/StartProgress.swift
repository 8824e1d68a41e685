// SPDX-License-Identifier: MIT

internal import Synchronization

/// Notes what a starting pipeline still waits for, and calls back once it is ready.
///
/// A pipeline is ready when all sinks are open and each live source listens. A source that reads
/// recordings is ready as soon as the sinks are, and one that has failed never is.
///
/// **Isolation**: any thread.
final class StartProgress: Sendable {
    private struct State {
        var sinksAreOpen = false
        /// The live sources that do not listen yet.
        var silent: Set<String>
        var ready: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// Waits for the sinks and for the live sources with these ids.
    init(_ live: [String], ready: @escaping @Sendable () -> Void) {
        state = Mutex(State(silent: Set(live), ready: ready))
    }

    /// All sinks are open.
    func sinksOpened() { advance { $0.sinksAreOpen = true } }

    /// A source listens, or has ended without an error.
    func isUp(_ source: String) { advance { $0.silent.remove(source) } }

    private func advance(_ change: (inout State) -> Void) {
        let ready = state.withLock { state -> (@Sendable () -> Void)? in
            change(&state)
            guard state.sinksAreOpen, state.silent.isEmpty else { return nil }
            return state.ready.take()
        }
        ready?()
    }
}
