// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel

/// The times of an exchange's events, on the loop's clock.
struct ExchangeClock {
    /// When its first byte arrived.
    let begun: Int64
    /// When the server had the whole request; 0 if it does not have it.
    var requestSent: Int64 = 0
    /// When the response began; 0 if it has not begun.
    var firstByte: Int64 = 0
    /// When bytes last passed, or until when a hook has asked for a pause.
    var lastActive: Int64
    /// How many bytes both peers had taken at the last check of the time limits.
    var lastTaken: UInt64 = 0
    /// Detects bodies that are too slow.
    var rate = RateWatch()

    init(begun: Int64) {
        self.begun = begun
        lastActive = begun
    }

    /// Notes that bytes of the response arrived.
    mutating func responseCame(_ now: Int64) {
        if firstByte == 0 { firstByte = now }
        lastActive = now
    }

    /// Adds the durations to the record.
    func fill(_ timing: inout Timing, _ now: Int64) {
        timing.total = Microseconds(now - begun)
        guard requestSent > 0 else { return }
        timing.send = Microseconds(max(requestSent - begun, 0))
        guard firstByte > 0 else { return }
        timing.wait = Microseconds(max(firstByte - requestSent, 0))
        timing.receive = Microseconds(max(now - firstByte, 0))
    }
}
