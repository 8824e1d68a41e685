// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineModel

/// The clock that a replay uses; tests provide their own.
struct ReplayClock: Sendable {
    /// Microseconds of a monotonic clock.
    let now: @Sendable () -> Int64
    /// Waits at a place for at most a number of microseconds; may return earlier.
    let wait: @Sendable (Parker, Int64) -> Void

    /// The system's clock.
    static let system = ReplayClock(
        now: { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1000) },
        wait: { place, microseconds in place.wait(microseconds: microseconds) }
    )
}

/// When one thread passes records on, and when it submits them to the sinks.
struct ReplayTiming {
    /// The longest time that finished records wait until they are submitted, in microseconds.
    static let submissionInterval: Int64 = 50_000

    private var pace: Pace
    private let clock: ReplayClock
    private var submitted: Int64
    private var pass = 0

    init(_ pace: Pace, _ clock: ReplayClock) {
        self.pace = pace
        self.clock = clock
        submitted = clock.now()
    }

    var now: Int64 { clock.now() }

    /// Whether finished records have waited long enough.
    var isSubmissionDue: Bool { now - submitted >= Self.submissionInterval }

    mutating func noteSubmission() { submitted = now }

    /// Begins a pass over the recordings.
    mutating func begin(pass: Int) {
        if pass != self.pass { pace.restart() }
        self.pass = pass
    }

    /// When a record is due, and whether the pause before it was shortened.
    mutating func due(_ started: Timestamp) -> (time: Int64, isCut: Bool) {
        pace.due(started, now: now)
    }

    /// Waits until a time; returns whether the run continues.
    func wait(until due: Int64, at place: Parker, _ control: ReplayControl) -> Bool {
        while !control.isStopped {
            let left = due - now
            if left <= 0 { return true }
            clock.wait(place, left)
        }
        return false
    }
}
