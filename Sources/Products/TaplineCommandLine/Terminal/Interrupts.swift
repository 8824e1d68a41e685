// SPDX-License-Identifier: MIT

internal import Synchronization

/// The request of the user to stop, by the interrupt key or SIGTERM.
///
/// **Isolation**: any thread.
package final class Interrupts: Sendable {
    private let isRequested = Atomic<Bool>(false)
    private let requests = AsyncStream<Void>.makeStream()

    package init() {}

    /// Whether the user has asked to stop.
    var hasCome: Bool { isRequested.load(ordering: .relaxed) }

    /// Notes the request.
    func note() {
        isRequested.store(true, ordering: .relaxed)
        requests.continuation.finish()
    }

    /// Waits for the request, which a call of `note` reports.
    func waitForNote() async {
        for await _ in requests.stream {}
    }

    /// Listens for the request and waits for it.
    package func wait() async {
        let signals = Signals {
            self.note()
        } reopen: {
        } report: {
        }
        await waitForNote()
        withExtendedLifetime(signals) {}
    }
}
