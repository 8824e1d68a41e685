// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// What the sources of a running pipeline can send requests with.
///
/// **Isolation**: any thread.
final class PipelineSenders: Sendable {
    private let senders = Mutex<[(source: String, sender: any RequestSender)]>([])

    /// The sender of the source that was ready first; `nil` if no source can send.
    var first: (any RequestSender)? { senders.withLock { $0.first?.sender } }

    /// Adds the sender of a source.
    func add(_ sender: any RequestSender, of source: String) {
        senders.withLock { $0.append((source, sender)) }
    }

    /// Removes the sender of a source that has ended.
    func remove(of source: String) {
        senders.withLock { $0.removeAll { $0.source == source } }
    }
}
