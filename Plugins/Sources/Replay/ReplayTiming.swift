// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineModel

/// The time that a replay keeps to; tests bring their own.
struct ReplayClock: Sendable {
    /// Microseconds by a clock that only goes forward.
    let now: @Sendable () -> Int64
    /// Waits at a place, at most that many microseconds; may return earlier.
    let wait: @Sendable (WaitingPlace, Int64) -> Void

    /// The machine's clock.
    static let system = ReplayClock(
        now: { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1000) },
        wait: { place, microseconds in place.wait(microseconds: microseconds) }
    )
}

/// When one thread passes records on, and when it hands over what it has.
struct ReplayTiming {
    /// Records that are finished wait no longer than this to be handed over, in microseconds.
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

    /// Whether what is finished has waited long enough.
    var isSubmissionDue: Bool { now - submitted >= Self.submissionInterval }

    mutating func noteSubmission() { submitted = now }

    /// Begins a pass over the recordings.
    mutating func begin(pass: Int) {
        if pass != self.pass { pace.restart() }
        self.pass = pass
    }

    /// When a record is due, and whether the pause before it was cut.
    mutating func due(_ started: Timestamp) -> (time: Int64, isCut: Bool) {
        pace.due(started, now: now)
    }

    /// Waits until a moment; returns whether the run goes on.
    func wait(until due: Int64, at place: WaitingPlace, _ control: ReplayControl) -> Bool {
        while !control.isStopped {
            let left = due - now
            if left <= 0 { return true }
            clock.wait(place, left)
        }
        return false
    }
}
