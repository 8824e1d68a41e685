// SPDX-License-Identifier: MIT

internal import TaplineModel

/// When each record of a replay is due: the recorded spacing, divided by a factor.
///
/// **Units**: microseconds of a monotonic clock.
///
/// A record that began before the preceding one, or whose start is unknown, is due at once; a pause
/// is limited to `maxGap`. Delays do not add up: due times follow the recording, not the time at
/// which the previous record was sent.
struct Pace {
    private let factor: Double
    private let maxGap: Int64
    /// The latest start time so far.
    private var latest: Int64?
    private var due: Int64 = 0

    init(factor: Double, maxGap: Microseconds) {
        self.factor = factor
        self.maxGap = max(maxGap.count, 0)
    }

    /// When a record that began at `started` is due, and whether its pause was shortened.
    mutating func due(_ started: Timestamp, now: Int64) -> (time: Int64, isCut: Bool) {
        guard started.microseconds > 0 else { return (latest == nil ? now : due, false) }
        guard let latest else {
            self.latest = started.microseconds
            due = now
            return (due, false)
        }
        guard started.microseconds > latest else { return (due, false) }
        self.latest = started.microseconds
        let gap = started.microseconds.subtractingReportingOverflow(latest)
        let isCut = gap.overflow || gap.partialValue > maxGap
        let scaled = Double(isCut ? maxGap : gap.partialValue) / factor
        // Far below 2^63: a pause of a hundred years is longer than any run.
        due = due.addingReportingOverflow(Int64(min(scaled, 3.2e15))).partialValue
        return (due, isCut)
    }

    /// Resets the pace: the first record of the next pass is due at once.
    mutating func restart() { latest = nil }
}
