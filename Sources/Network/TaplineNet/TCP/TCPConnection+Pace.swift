// SPDX-License-Identifier: MIT

/// The pace of a connection's output.
final class OutputPacing {
    var pace: OutputPace
    /// Whether the pace ends once all waiting output is sent.
    var isEnding = false
    /// Continues the output.
    let timer: LoopTimer

    init(_ pace: OutputPace, _ timer: LoopTimer) {
        self.pace = pace
        self.timer = timer
    }
}

extension TCPConnection {
    /// Limits how fast bytes are sent, including those that wait already, until `endPace`.
    ///
    /// **Units**: bytes on the socket a second, which may be encrypted.
    package func pace(bytesPerSecond: Int) {
        loop.assertIsCurrent()
        guard !isClosing else { return }
        if let pacing, pacing.pace.bytesPerSecond == bytesPerSecond {
            pacing.isEnding = false
            return
        }
        pacing = OutputPacing(
            OutputPace(bytesPerSecond: bytesPerSecond, at: loop.now),
            LoopTimer(on: loop) { [unowned self] in scheduleFlush() }
        )
    }

    /// Ends the limit, for bytes that wait already once they are sent.
    package func endPace() {
        guard let pacing else { return }
        pacing.isEnding = true
        if output.isEmpty { self.pacing = nil }
    }

    /// The number of bytes that may be sent now.
    var allowance: Int { pacing?.pace.allowance(at: loop.now) ?? .max }

    /// Continues when more bytes may be sent.
    func waitForAllowance() {
        guard let pacing else { return }
        pacing.timer.arm(after: pacing.pace.wait)
    }
}
