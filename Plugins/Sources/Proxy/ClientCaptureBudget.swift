// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConnections
internal import TaplinePlugin

/// The memory for the bodies and messages that are kept of one client address's exchanges
/// (`max_captured_per_client`).
///
/// **Units**: bytes. Each thread may exceed the limit by at most one read.
///
/// **Isolation**: any thread.
final class ClientCaptureBudget: ConnectionBudget {
    private let limit: Int
    private let kept = Atomic<Int>(0)
    /// The bytes that wait to be sealed.
    private let unsealed = Atomic<Int>(0)
    /// The bytes that wait in exchanges, for hooks or for a server.
    private let waiting = Atomic<Int>(0)
    private let isExhausted = Atomic<Bool>(false)

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the client's next requests should wait, since too many bytes wait to be sealed.
    var isBacklogged: Bool { unsealed.load(ordering: .relaxed) > limit / 2 }

    /// Whether nothing is kept.
    var isUnused: Bool { kept.load(ordering: .relaxed) == 0 }

    /// Counts bytes, unless the share is used up.
    func hold(_ count: Int) -> Bool {
        guard kept.load(ordering: .relaxed) < limit else { return false }
        kept.wrappingAdd(count, ordering: .relaxed)
        return true
    }

    /// Releases bytes that were counted.
    func release(_ count: Int) { kept.wrappingSubtract(count, ordering: .relaxed) }

    /// Counts bytes of an exchange that has ended and waits to be sealed.
    func waits(_ count: Int) { unsealed.wrappingAdd(count, ordering: .relaxed) }

    /// Notes that the bytes of an exchange are sealed.
    func sealed(_ count: Int) { unsealed.wrappingSubtract(count, ordering: .relaxed) }

    /// Counts bytes that wait in an exchange; negative if they do not wait any more.
    func buffer(_ count: Int) { waiting.wrappingAdd(count, ordering: .relaxed) }

    /// Returns whether an exchange in which bytes wait may collect more for its hooks.
    ///
    /// Its own do not count, so that a single exchange gets as much as its hooks want.
    func mayBuffer(beside own: Int) -> Bool { waiting.load(ordering: .relaxed) &- own < limit }

    /// Returns whether this is the first time that the share is used up.
    func isFirstRefusal() -> Bool { !isExhausted.exchange(true, ordering: .relaxed) }
}

/// The memory for what is kept of a connection's exchanges, counted for both the client and the
/// pipeline.
///
/// **Isolation**: the worker's thread.
final class ClientMemory: CaptureMemory {
    let share: ClientCaptureBudget
    private let pipeline: any CaptureMemory
    private let log: Log
    private let client: String

    /// - Parameters:
    ///   - share: The client's share.
    ///   - pipeline: The memory of the pipeline.
    ///   - log: Receives a message when the share is used up.
    ///   - client: The client's address.
    init(_ share: ClientCaptureBudget, _ pipeline: any CaptureMemory, _ log: Log, client: String) {
        self.share = share
        self.pipeline = pipeline
        self.log = log
        self.client = client
    }

    func hold(_ count: Int) -> Bool {
        guard share.hold(count) else {
            if share.isFirstRefusal() {
                log.warning(
                    "the captured bodies of \(client) have reached "
                        + "'max_captured_per_client'; further bodies are counted, not kept"
                )
            }
            return false
        }
        guard pipeline.hold(count) else {
            share.release(count)
            return false
        }
        return true
    }

    func release(_ count: Int) {
        guard count > 0 else { return }
        share.release(count)
        pipeline.release(count)
    }
}
