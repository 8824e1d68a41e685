// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConnections
internal import TaplinePlugin

/// The memory that one client address may take for the bodies and messages that are kept of its
/// exchanges (`max_captured_per_client`).
///
/// **Units**: bytes. The limit is passed by at most one read of each thread.
///
/// **Isolation**: any thread.
final class ClientShare: ConnectionShare {
    private let limit: Int
    private let kept = Atomic<Int>(0)
    /// What of it waits to be sealed.
    private let unsealed = Atomic<Int>(0)
    private let isExhausted = Atomic<Bool>(false)

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether so much waits to be sealed that the client's next requests should wait.
    var isBehind: Bool { unsealed.load(ordering: .relaxed) > limit / 2 }

    /// Whether nothing is kept.
    var isUnused: Bool { kept.load(ordering: .relaxed) == 0 }

    /// Counts bytes, unless the share is used up.
    func hold(_ count: Int) -> Bool {
        guard kept.load(ordering: .relaxed) < limit else { return false }
        kept.wrappingAdd(count, ordering: .relaxed)
        return true
    }

    /// Takes back what was counted.
    func release(_ count: Int) { kept.wrappingSubtract(count, ordering: .relaxed) }

    /// Counts bytes of an exchange that has ended and waits to be sealed.
    func waits(_ count: Int) { unsealed.wrappingAdd(count, ordering: .relaxed) }

    /// The exchange is sealed.
    func sealed(_ count: Int) { unsealed.wrappingSubtract(count, ordering: .relaxed) }

    /// Whether the share is used up for the first time.
    func isFirstRefusal() -> Bool { !isExhausted.exchange(true, ordering: .relaxed) }
}

/// The memory for what is kept of a connection's exchanges: it counts for the client and for the
/// pipeline.
///
/// **Isolation**: the worker's thread.
final class ClientMemory: CaptureMemory {
    let share: ClientShare
    private let pipeline: any CaptureMemory
    private let log: Log
    private let client: String

    /// - Parameters:
    ///   - share: What the client may take.
    ///   - pipeline: What counts for the pipeline.
    ///   - log: Is told when the share is used up.
    ///   - client: The client's address.
    init(_ share: ClientShare, _ pipeline: any CaptureMemory, _ log: Log, client: String) {
        self.share = share
        self.pipeline = pipeline
        self.log = log
        self.client = client
    }

    func hold(_ count: Int) -> Bool {
        guard share.hold(count) else {
            if share.isFirstRefusal() {
                log.warning(
                    "the bodies of \(client) take 'max_captured_per_client'; "
                        + "further ones are counted, not kept"
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
