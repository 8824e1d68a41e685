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
    /// Since when, and until when, it waits for a decision; `nil` if it does not.
    private var pause: (since: Int64, until: Int64)?
    /// How long it has waited for decisions before.
    private var waited: Int64 = 0

    init(begun: Int64) {
        self.begun = begun
        lastActive = begun
    }

    /// Notes that bytes of the response arrived.
    mutating func responseCame(_ now: Int64) {
        if firstByte == 0 { firstByte = now }
        lastActive = now
    }

    /// Whether it waits for a decision; time limits exclude this wait.
    var isPaused: Bool { pause != nil }

    /// Notes that it waits for a decision.
    mutating func paused(_ now: Int64, for longest: Microseconds) {
        pause = (now, now &+ longest.count)
    }

    /// Notes that it waits no longer, and returns how long it has waited.
    mutating func resumed(_ now: Int64) -> Microseconds {
        guard let begun = pause?.since else { return Microseconds(0) }
        pause = nil
        let time = max(now &- begun, 0)
        waited &+= time
        lastActive = now
        rate = RateWatch()
        return Microseconds(time)
    }

    /// The time until the end of a pause; `nil` if it does not wait for a decision.
    func pauseLeft(_ now: Int64) -> Microseconds? {
        // At least a millisecond, since the pause ends by a timer of its own.
        pause.map { Microseconds(max($0.until &- now, 1000)) }
    }

    /// How long it has been running, without the time that it has waited for decisions.
    func age(_ now: Int64) -> Int64 {
        (pause?.since ?? now) &- begun &- waited
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
