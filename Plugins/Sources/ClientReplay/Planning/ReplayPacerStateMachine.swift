// SPDX-License-Identifier: MIT

internal import TaplineOperations

/// Decides when the next request is sent, skipped, or waited for, and counts what was due.
///
/// ```
/// waiting ─▶ running ─▶ draining ─▶ finished
///               └─────────────────────▲
/// ```
/// Call `next` again and again, until it returns `wait` or `finish`; then again after an event.
///
/// **Units**: microseconds of a monotonic clock.
struct ReplayPacerStateMachine: ~Copyable {
    /// What is done next.
    enum Action: Equatable {
        /// Send the next request, which is due at a time.
        case send(due: Int64)
        /// Drop the next request, since the bound was reached when it was due.
        case skip(due: Int64)
        /// Call `next` at a time.
        case arm(Int64)
        /// Call `next` after the next event.
        case wait
        /// All requests have ended.
        case finish
    }

    private enum State {
        /// No request has arrived yet.
        case waiting
        /// Requests are sent; `begun` is when the first one was due.
        case running(begun: Int64)
        /// No more requests are sent, but some are in flight.
        case draining
        case finished
    }

    /// A request that is sent later than this is late.
    static let tolerance: Int64 = 10_000

    private let schedule: ReplaySchedule
    private let concurrency: ReplayConcurrency
    /// How many requests are due at most.
    private let limit: Int
    /// When the first request is due; `nil` for when it arrives.
    private var start: Int64?
    private var state = State.waiting
    /// The last time at which no request could be sent because of the target.
    private var lastBlocked = Int64.min
    private(set) var counts = ReplayReport.Counts()
    /// When the first request was due; `nil` before that.
    private(set) var begun: Int64?
    /// When the last request was due that has a time of its own; `nil` before that.
    private(set) var lastDue: Int64?

    init(
        _ schedule: ReplaySchedule,
        _ concurrency: ReplayConcurrency = ReplayConcurrency(),
        limit: Int? = nil
    ) {
        self.schedule = schedule
        self.concurrency = concurrency
        self.limit = limit ?? .max
    }

    /// Returns what to do now; the caller carries out `send` and `skip` before the next call.
    mutating func next(now: Int64, _ input: ReplayInput) -> Action {
        switch state {
        case .waiting:
            switch input {
            case .ready:
                if let start, now < start {
                    state = .waiting
                    return .arm(start)
                }
                let begun = start ?? now
                self.begun = begun
                state = .running(begun: begun)
                return step(now, input, begun: begun)
            case .waiting:
                state = .waiting
                return .wait
            case .ended:
                state = .finished
                return .finish
            }
        case .running(let begun):
            state = .running(begun: begun)
            return step(now, input, begun: begun)
        case .draining:
            state = counts.inFlight == 0 ? .finished : .draining
            return counts.inFlight == 0 ? .finish : .wait
        case .finished:
            state = .finished
            return .finish
        }
    }

    private mutating func step(_ now: Int64, _ input: ReplayInput, begun: Int64) -> Action {
        guard counts.due < limit else { return drain() }
        if let length = schedule.length, now - begun >= length { return drain() }
        let isFull = counts.inFlight >= concurrency.limit
        if isFull { lastBlocked = now }
        switch input {
        case .ended: return drain()
        case .waiting(let byTarget):
            if byTarget { lastBlocked = now }
            return wait(begun)
        case .ready(let offset, let releasedAt):
            let time = schedule.due(counts.due, offset: offset)
            if let length = schedule.length, let time, time >= length { return drain() }
            let due = time.map { begun + $0 } ?? now
            guard due <= now else { return .arm(due) }
            if time != nil { lastDue = due }
            guard !isFull else {
                // Without a time of its own, a request cannot be too late.
                guard concurrency.whenFull == .skip, time != nil else { return wait(begun) }
                counts.due += 1
                counts.skipped += 1
                return .skip(due: due)
            }
            counts.due += 1
            counts.sent += 1
            counts.inFlight += 1
            noteLateness(now, due, releasedAt)
            return .send(due: due)
        }
    }

    /// Waits for an event, at most until the end of the run.
    private func wait(_ begun: Int64) -> Action {
        schedule.length.map { .arm(begun + $0) } ?? .wait
    }

    private mutating func noteLateness(_ now: Int64, _ due: Int64, _ releasedAt: Int64) {
        let late = now - due
        counts.latest = max(counts.latest, late)
        guard late > Self.tolerance else { return }
        if max(releasedAt, lastBlocked) >= due {
            counts.lateByTarget += 1
        } else {
            counts.lateByGenerator += 1
        }
    }

    private mutating func drain() -> Action {
        state = counts.inFlight == 0 ? .finished : .draining
        return counts.inFlight == 0 ? .finish : .wait
    }

    // MARK: Events

    /// Notes when the first request is due; without effect once it has been.
    mutating func starts(at time: Int64) { start = time }

    /// Notes that a request has ended.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - wasSent: Whether the request was sent; otherwise it counts as failed.
    mutating func ended(now: Int64, wasSent: Bool) {
        if counts.inFlight >= concurrency.limit { lastBlocked = now }
        counts.inFlight -= 1
        guard !wasSent else { return }
        counts.sent -= 1
        counts.failed += 1
    }

    /// Notes that no more requests are to be sent.
    mutating func stop() {
        switch state {
        case .waiting, .running, .draining: state = .draining
        case .finished: state = .finished
        }
    }
}
