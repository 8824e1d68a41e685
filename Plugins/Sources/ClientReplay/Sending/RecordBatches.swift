// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Seals exchanges that have ended, and hands their records to the sinks in batches.
///
/// **Isolation**: the loop's thread.
final class RecordBatches {
    /// The maximum number of records in a batch.
    private static let batch = 64
    /// How long a record waits for others.
    private static let delay = Microseconds(10_000)

    private let loop: EventLoop
    private let lane: any Lane
    private var pending = 0
    private var isPaused = false
    private var timer: LoopTimer?
    private let closed: () -> Void

    /// - Parameters:
    ///   - loop: The loop.
    ///   - lane: The lane.
    ///   - closed: Called when the sinks no longer accept records.
    init(_ loop: EventLoop, _ lane: any Lane, closed: @escaping () -> Void) {
        self.loop = loop
        self.lane = lane
        self.closed = closed
        timer = LoopTimer(on: loop) { [unowned self] in submit() }
    }

    /// Seals an exchange; `kept` bytes of it were counted as captured.
    func add(_ exchange: consuming Exchange, _ context: consuming ExchangeContext, kept: Int) {
        let isRecorded = lane.finish(exchange, context)
        if kept > 0 { lane.release(kept) }
        guard isRecorded else { return }
        pending += 1
        if pending >= Self.batch {
            submit()
        } else if pending == 1 {
            timer?.arm(after: Self.delay)
        }
    }

    private func submit() {
        guard !isPaused else { return }
        pending = 0
        timer?.cancel()
        let resume = Resume(batches: self)
        let loop = loop
        switch lane.submit(ticket: nil, ready: { loop.execute { resume.batches?.open() } }) {
        case .open: break
        case .paused: isPaused = true
        case .closed: closed()
        }
    }

    private func open() {
        isPaused = false
        if pending > 0 { submit() }
    }

    /// Releases the timer; closing the lane submits what is pending.
    func end() { timer = nil }
}

/// A reference for a callback from another thread, which uses it only on the loop's thread.
private struct Resume: @unchecked Sendable { weak var batches: RecordBatches? }
