// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel

/// When what happened in an exchange, by the loop's clock.
struct ExchangeClock {
    /// When its first byte came.
    let begun: Int64
    /// When the server had the whole request; 0 if it never had.
    var requestSent: Int64 = 0
    /// When the response began; 0 if it never did.
    var firstByte: Int64 = 0
    /// When bytes last passed, or until when a hook has asked for a pause.
    var lastActive: Int64
    /// How many bytes both peers had taken when the time limits were last looked at.
    var lastTaken: UInt64 = 0
    /// What finds bodies that are too slow.
    var rate = RateWatch()

    init(begun: Int64) {
        self.begun = begun
        lastActive = begun
    }

    /// Bytes of the response came.
    mutating func responseCame(_ now: Int64) {
        if firstByte == 0 { firstByte = now }
        lastActive = now
    }

    /// Puts the durations into the record.
    func fill(_ timing: inout Timing, _ now: Int64) {
        timing.total = Microseconds(now - begun)
        guard requestSent > 0 else { return }
        timing.send = Microseconds(max(requestSent - begun, 0))
        guard firstByte > 0 else { return }
        timing.wait = Microseconds(max(firstByte - requestSent, 0))
        timing.receive = Microseconds(max(now - firstByte, 0))
    }
}
