// SPDX-License-Identifier: MIT

internal import TaplineModel

/// When each record of a replay is due: the recorded spacing, divided by a factor.
///
/// **Units**: microseconds by a clock that only goes forward.
/// A record that began before the one in front of it, or whose start is not known, is due at once;
/// a pause is cut at `maxGap`. Delays do not add up: who is late is so against the plan, not
/// against the record before.
struct Pace {
    private let factor: Double
    private let maxGap: Int64
    /// The latest start so far.
    private var latest: Int64?
    private var due: Int64 = 0

    init(factor: Double, maxGap: Microseconds) {
        self.factor = factor
        self.maxGap = max(maxGap.count, 0)
    }

    /// When a record that began at `started` is due, and whether its pause was cut.
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

    /// Starts anew: the first record of another pass is due at once.
    mutating func restart() { latest = nil }
}
