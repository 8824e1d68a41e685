// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The limits of a connection's output, each for a stretch of it.
final class OutputPacing {
    private struct Stretch {
        var pace: OutputPace
        /// The count of sent bytes at which the limit ends; `nil` until that is known.
        var end: UInt64?
    }

    /// The limits in the order of the output; the first one is in force.
    private var stretches: [Stretch] = []
    /// Continues the output.
    let timer: LoopTimer

    init(_ timer: LoopTimer) { self.timer = timer }

    /// Whether no limit is left.
    var isOver: Bool { stretches.isEmpty }

    /// Begins a limit, or replaces the one that has not ended.
    func begin(bytesPerSecond: Int, at now: Int64) {
        if let last = stretches.last, last.end == nil {
            if last.pace.bytesPerSecond == bytesPerSecond { return }
            stretches.removeLast()
        }
        let pace = OutputPace(bytesPerSecond: bytesPerSecond, at: now)
        stretches.append(Stretch(pace: pace))
    }

    /// Ends the last limit once a number of bytes was sent, of which `sent` were already.
    func end(at count: UInt64, sent: UInt64) {
        guard let last = stretches.indices.last, stretches[last].end == nil else { return }
        stretches[last].end = count
        dropEnded(sent)
    }

    /// The number of bytes that may be sent now, of which `sent` were before.
    func allowance(at now: Int64, sent: UInt64) -> Int {
        guard !stretches.isEmpty else { return .max }
        let allowed = stretches[0].pace.allowance(at: now)
        guard let end = stretches[0].end else { return allowed }
        return min(allowed, Int(clamping: end &- sent))
    }

    /// Counts bytes that were sent; `sent` is the number of all of them.
    func sent(_ count: Int, of sent: UInt64) {
        guard !stretches.isEmpty else { return }
        stretches[0].pace.sent(count)
        dropEnded(sent)
    }

    /// The time until more may be sent.
    var wait: Microseconds { stretches.first?.pace.wait ?? Microseconds(0) }

    private func dropEnded(_ sent: UInt64) {
        while let end = stretches.first?.end, end <= sent { stretches.removeFirst() }
    }
}

extension TCPConnection {
    /// Limits how fast bytes are sent, including those that wait already, until `endPace`.
    ///
    /// Bytes that wait under an earlier limit, which has ended, are sent under that one.
    ///
    /// **Units**: bytes on the socket a second, which may be encrypted.
    package func pace(bytesPerSecond: Int) {
        loop.assertIsCurrent()
        guard !isClosing else { return }
        let pacing =
            pacing ?? OutputPacing(LoopTimer(on: loop) { [unowned self] in scheduleFlush() })
        self.pacing = pacing
        pacing.begin(bytesPerSecond: bytesPerSecond, at: loop.now)
    }

    /// Ends the limit for what is written from now on; bytes that wait are still sent under it.
    package func endPace() {
        guard pacing != nil else { return }
        // A layer keeps the end of the output until the end of the batch of events.
        layer?.flush(to: self)
        guard let pacing else { return }
        pacing.end(at: sentCount &+ UInt64(output.count), sent: sentCount)
        if pacing.isOver { self.pacing = nil }
    }

    /// The number of bytes that may be sent now.
    var allowance: Int { pacing?.allowance(at: loop.now, sent: sentCount) ?? .max }

    /// Continues when more bytes may be sent.
    func waitForAllowance() {
        guard let pacing else { return }
        pacing.timer.arm(after: pacing.wait)
    }

    /// Counts bytes that were sent under a limit.
    func countPaced(_ count: Int) {
        guard let pacing else { return }
        pacing.sent(count, of: sentCount)
        if pacing.isOver { self.pacing = nil }
    }
}
