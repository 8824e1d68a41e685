// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel
internal import TaplineOperations
internal import TaplineSystem

extension Pipeline {
    /// Has all threads of the pipeline answer, and waits for them.
    ///
    /// The thread of each sink has to get to its next step, each event loop of a source to its next
    /// event, and the pool to a new task. A sink that is within a call, such as a write to a disk
    /// that hangs, counts as answering: its health shows in its counters, and a restart would not
    /// help it.
    ///
    /// **Isolation**: blocks the calling thread, which must not be one of Swift's pool. If a lock is
    /// held for ever, it does not return.
    ///
    /// - Parameter limit: How long to wait for the answers.
    /// - Returns: Whether all have come.
    package func answers(within limit: Microseconds) -> Bool {
        let answers = ProbeAnswers()
        // A sink has no thread while it waits for its predecessor.
        for sink in allSinks where !sink.isWaitingToOpen { sink.queue.probe(answers.expect()) }
        for source in senders.probes { source.probe(answers.expect()) }
        let task = answers.expect()
        Task.detached { task() }
        return answers.wait(until: SteadyClock.microseconds.addingClamped(limit.count))
    }
}

/// The answers that a probe waits for.
private final class ProbeAnswers: Sendable {
    /// The number of missing answers, and 1 until `wait`.
    private let missing = Mutex(1)
    private let complete = ThreadEvent()

    /// Returns the call that gives one more answer.
    func expect() -> @Sendable () -> Void {
        missing.withLock { $0 += 1 }
        return { [self] in countDown() }
    }

    func wait(until deadline: Int64) -> Bool {
        countDown()
        return complete.wait(until: deadline)
    }

    private func countDown() {
        let isComplete = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isComplete { complete.signal() }
    }
}
