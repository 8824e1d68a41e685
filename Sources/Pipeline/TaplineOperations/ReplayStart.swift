// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplinePlugin

/// The moment at which the replays of a pipeline that start together begin to send.
///
/// Each of them arrives when its first request can be sent. When the last one has arrived, all are
/// given the same time. A source that ends before that is no longer waited for.
///
/// **Units**: microseconds of the clock of event loops.
/// **Isolation**: any thread.
package final class ReplayStart: Sendable {
    /// Takes the time to begin at; `nil` means at once.
    package typealias Begin = @Sendable (Int64?) -> Void

    /// How long after the last arrival requests are due, so that all loops are ready by then.
    package static let lead: Int64 = 10_000

    private struct State {
        var expected: Set<String>
        var waiting: [Begin] = []

        /// Returns and forgets those that may begin now.
        mutating func takeReady() -> [Begin] {
            guard expected.isEmpty else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let state: Mutex<State>

    /// Creates a start of the sources with these ids.
    package init(of sources: [String]) { state = Mutex(State(expected: Set(sources))) }

    /// Notes that a source can send, and calls `begin` when the others can, too.
    ///
    /// - Parameters:
    ///   - id: The id of the source.
    ///   - now: The time.
    ///   - begin: Called once, perhaps on another thread, or before this returns.
    package func arrive(_ id: String, now: Int64, _ begin: @escaping Begin) {
        let ready = state.withLock { state in
            state.waiting.append(begin)
            state.expected.remove(id)
            return state.takeReady()
        }
        for begin in ready { begin(now + Self.lead) }
    }

    /// Notes that a source has ended; without effect if it has arrived.
    package func leave(_ id: String) {
        let ready = state.withLock { state in
            state.expected.remove(id) == nil ? [] : state.takeReady()
        }
        for begin in ready { begin(nil) }
    }
}

extension ReplayStart {
    /// A source that may start together with others.
    package protocol Participant: Source {
        /// Whether it waits for the others.
        var startsTogether: Bool { get }
    }
}
