// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineNet
internal import TaplineOperations
package import TaplinePlugin

/// Seals exchanges that have ended, and hands their records to the sinks in batches.
///
/// **Isolation**: the loop's thread. It lives until the loop has ended.
package final class RecordBatches {
    /// The maximum number of exchanges in a batch.
    private static let batch = 64
    /// How long an exchange waits for others.
    private static let delay = Microseconds(10_000)

    /// Whether the sinks have no room; records then wait.
    package private(set) var isPaused = false
    /// Called when there is room again.
    package var resumed: () -> Void = {}

    private let loop: EventLoop
    private let lane: any Lane
    /// Sealed exchanges since the last submission.
    private var pending = 0
    /// Whether records have got their verdicts while the sinks had no room.
    private var hasAnswers = false
    private var timer: LoopTimer?
    private let closed: () -> Void

    /// - Parameters:
    ///   - loop: The loop.
    ///   - lane: The lane.
    ///   - closed: Called when the sinks no longer accept records.
    package init(_ loop: EventLoop, _ lane: any Lane, closed: @escaping () -> Void) {
        self.loop = loop
        self.lane = lane
        self.closed = closed
        timer = LoopTimer(on: loop) { [unowned self] in submit() }
        let resume = Resume(batches: self)
        (lane as? any ParkingLane)?.whenAnswered {
            loop.execute { resume.batches.answered() }
        }
    }

    /// Seals an exchange; the caller then releases what was captured of it.
    ///
    /// One without a record counts, too: the submission publishes the counters of the lane.
    package func seal(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) {
        lane.finish(exchange, context)
        pending += 1
        if pending >= Self.batch {
            submit()
        } else if pending == 1 {
            timer?.arm(after: Self.delay)
        }
    }

    /// Hands finished records to the sinks, or keeps them until there is room.
    private func submit() {
        guard !isPaused else { return }
        pending = 0
        timer?.cancel()
        let loop = loop
        let resume = Resume(batches: self)
        let result = lane.submit(ticket: nil) {
            loop.execute { resume.batches.resume() }
        }
        switch result {
        case .open: break
        case .paused: isPaused = true
        case .closed: closed()
        }
    }

    /// Hands over records whose verdicts are known now.
    private func answered() {
        hasAnswers = isPaused
        submit()
    }

    private func resume() {
        isPaused = false
        if pending > 0 || hasAnswers {
            hasAnswers = false
            submit()
        }
        resumed()
    }

    /// Releases the timer after the loop has ended; closing the lane submits what is pending.
    package func end() {
        timer = nil
        resumed = {}
    }
}

/// A reference to batches for a callback from another thread.
///
/// It is used only on the loop's thread, and not after the loop's end, until which the batches live.
///
/// Not weak: a weak reference would add an indirection to the reference counting for every exchange.
private struct Resume: @unchecked Sendable { unowned let batches: RecordBatches }
