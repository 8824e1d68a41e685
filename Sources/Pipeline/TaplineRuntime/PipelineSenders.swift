// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineOperations

/// What the sources of a running pipeline can send requests with.
///
/// **Isolation**: any thread.
final class PipelineSenders: Sendable {
    private let senders = Mutex<[(source: ObjectIdentifier, sender: any RequestSender)]>([])

    /// Whether no source can send.
    var isEmpty: Bool { senders.withLock { $0.isEmpty } }

    /// The sender of the source that was ready first, of those that reach the server of a request;
    /// `nil` if there is none.
    func first(reaching request: Request) -> (any RequestSender)? {
        let all = senders.withLock { $0.map(\.sender) }
        return all.first { $0.canReach(request) }
    }

    /// The senders whose threads can be probed.
    var probes: [any ThreadProbe] {
        senders.withLock { $0.compactMap { $0.sender as? any ThreadProbe } }
    }

    /// Adds the sender of a source.
    func add(_ sender: any RequestSender, of source: SourceRunner) {
        senders.withLock { $0.append((ObjectIdentifier(source), sender)) }
    }

    /// Removes the sender of a source that has ended.
    func remove(of source: SourceRunner) {
        let source = ObjectIdentifier(source)
        senders.withLock { $0.removeAll { $0.source == source } }
    }
}
