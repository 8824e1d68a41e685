// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The conversation with a child: its life, and the calls that it has not answered.
///
/// ```
/// stopped ──▶ starting ──▶ greeting ──▶ running ──▶ ending ──▶ stopped
///                ▲             │           │
///                └── resting ◀─┴───────────┘   (it ended by itself)
/// ```
///
/// Calls are sent in the order in which they were made, at most `window` at a time; others wait.
/// Each has to be answered within `timeout` from when it was made. The calls that a child leaves
/// unanswered are lost; those that were not sent wait for the next child.
///
/// **Units**: times are microseconds of one clock.
package struct ProcessPluginStateMachine<Call: Sendable>: ~Copyable {
    /// The limits of a conversation.
    package struct Limits: Sendable {
        /// How many calls are sent before the first one is answered.
        package var window = 256
        /// How many further calls wait.
        package var maxWaiting = 8192
        /// How long a call may take.
        package var timeout: Int64 = 5_000_000
        /// How long a child may take for its hello.
        package var helloTimeout: Int64 = 5_000_000
        /// How long a child may take to end.
        package var stopTimeout: Int64 = 2_000_000
        /// The time before the first restart; doubled for each further one without an answer.
        package var restartDelay: Int64 = 100_000
        /// The longest time before a restart.
        package var maxRestartDelay: Int64 = 10_000_000

        /// Creates the default limits.
        package init() {}
    }

    /// Whether a call is accepted.
    package enum Admission: Equatable {
        /// It is sent as soon as the window permits.
        case accepted
        /// Too many calls wait.
        case full
        /// No child runs that could answer it.
        case absent
        /// The conversation is over.
        case stopped
    }

    /// The call that a number belongs to.
    package enum Match {
        /// The call, which is answered now.
        case call(Call)
        /// It was answered before, or not in time.
        case late
        /// No call has had this number.
        case unknown
    }

    /// What has not happened in time.
    package struct Overdue {
        /// The calls that were not answered.
        package var calls: [Call] = []
        /// Why the child has to be killed; `nil` if it may live.
        package var reason: Reason?
    }

    /// Why a child has to be killed.
    package enum Reason: Equatable, Sendable {
        /// It has not said hello.
        case noHello
        /// It has answered nothing for as long as a call may take.
        case hangs
        /// It has not ended.
        case doesNotEnd
    }

    /// What the end of a child means.
    package struct Ending {
        /// The calls that it leaves unanswered.
        package var lost: [Call] = []
        /// When the next child starts; `nil` if none does.
        package var restart: Int64?
    }

    private struct Flight {
        let number: UInt64
        let call: Call
        let deadline: Int64
    }

    private enum State: Equatable {
        case stopped
        case starting
        case greeting(until: Int64)
        case running
        case ending(until: Int64)
        case resting(until: Int64)
    }

    private let limits: Limits
    private var state = State.stopped
    private var waiting = FIFO<Flight>()
    /// The calls that were sent and not answered, in no order.
    private var sent: [UInt64: Flight] = [:]
    /// Their numbers in the order of sending; those of answered calls are skipped.
    private var order = FIFO<UInt64>()
    private var highest: UInt64 = 0
    private var lastAnswer: Int64 = 0
    private var delay: Int64

    /// Creates a conversation that has not begun.
    package init(_ limits: Limits) {
        self.limits = limits
        delay = limits.restartDelay
    }

    /// The number of calls that were not sent yet.
    package var waitingCount: Int { waiting.count }

    /// Whether the child has said hello and may be called.
    package var isRunning: Bool { state == .running }

    /// Whether no child lives and none will start by itself.
    package var isStopped: Bool { state == .stopped }

    /// The conversation begins.
    ///
    /// - Returns: Whether a child has to be started.
    package mutating func begun() -> Bool {
        guard state == .stopped else { return false }
        state = .starting
        return true
    }

    /// The time before a restart is over.
    ///
    /// - Returns: Whether a child has to be started: not if the conversation has ended since.
    package mutating func rested(_ now: Int64) -> Bool {
        guard case .resting(let until) = state, now >= until else { return false }
        state = .starting
        return true
    }

    /// A child has been started.
    package mutating func started(_ now: Int64) {
        guard state == .starting else { return }
        state = .greeting(until: now + limits.helloTimeout)
    }

    /// The child has said hello.
    ///
    /// - Returns: `false` if it was not its turn.
    package mutating func greeted(_ now: Int64) -> Bool {
        guard case .greeting = state else { return false }
        state = .running
        lastAnswer = now
        return true
    }

    /// A call is made; its number is larger than that of any call of the same thread before.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - call: The call.
    ///   - limit: How many calls may wait; the limit of the conversation by default.
    ///   - needsChild: Whether it is refused unless a child runs, instead of waiting for the next.
    ///   - now: The present time.
    /// - Returns: Whether it is accepted.
    package mutating func called(
        _ number: UInt64,
        _ call: Call,
        atMost limit: Int? = nil,
        needsChild: Bool = false,
        _ now: Int64
    ) -> Admission {
        switch state {
        case .stopped, .ending: return .stopped
        case .starting, .greeting, .resting: if needsChild { return .absent }
        case .running: break
        }
        guard waiting.count < limit ?? limits.maxWaiting else { return .full }
        highest = max(highest, number)
        waiting.append(Flight(number: number, call: call, deadline: now + limits.timeout))
        return .accepted
    }

    /// The next call to send; `nil` if there is none, or the window is full.
    package mutating func next(_ now: Int64) -> Call? {
        guard state == .running, sent.count < limits.window, let flight = waiting.removeFirst()
        else { return nil }
        // A child that had nothing to answer does not hang.
        if sent.isEmpty { lastAnswer = now }
        sent[flight.number] = flight
        order.append(flight.number)
        return flight.call
    }

    /// The child has answered a call.
    package mutating func answered(_ number: UInt64, _ now: Int64) -> Match {
        guard let flight = sent.removeValue(forKey: number) else {
            return number <= highest && number > 0 ? .late : .unknown
        }
        lastAnswer = now
        delay = limits.restartDelay
        return .call(flight.call)
    }

    /// Time has passed.
    package mutating func timePassed(_ now: Int64) -> Overdue {
        var overdue = Overdue()
        switch state {
        case .greeting(let until) where now >= until: overdue.reason = .noHello
        case .ending(let until) where now >= until: overdue.reason = .doesNotEnd
        default: break
        }
        while let flight = waiting.first, now >= flight.deadline {
            waiting.removeFirst()
            overdue.calls.append(flight.call)
        }
        while let number = order.first {
            guard let flight = sent[number] else {
                order.removeFirst()
                continue
            }
            guard now >= flight.deadline else { break }
            order.removeFirst()
            sent[number] = nil
            overdue.calls.append(flight.call)
            if now - lastAnswer >= limits.timeout, overdue.reason == nil { overdue.reason = .hangs }
        }
        return overdue
    }

    /// The conversation ends; calls that were not sent are lost.
    ///
    /// - Returns: The lost calls.
    package mutating func stopping(_ now: Int64) -> [Call] {
        switch state {
        case .stopped, .ending: return []
        case .starting, .greeting, .running: state = .ending(until: now + limits.stopTimeout)
        case .resting: state = .stopped
        }
        return waiting.removeAll().map(\.call)
    }

    /// The child has ended, or could not be started.
    package mutating func ended(_ now: Int64) -> Ending {
        var ending = Ending()
        while let number = order.removeFirst() {
            if let flight = sent.removeValue(forKey: number) { ending.lost.append(flight.call) }
        }
        switch state {
        case .stopped, .ending: state = .stopped
        case .starting, .greeting, .running, .resting:
            state = .resting(until: now + delay)
            ending.restart = now + delay
            delay = min(delay * 2, limits.maxRestartDelay)
        }
        return ending
    }

    /// The conversation is over at once; all calls are lost.
    package mutating func gaveUp() -> [Call] {
        state = .stopped
        let unsent = waiting.removeAll().map(\.call)
        let lost = sent.values.map(\.call)
        sent = [:]
        _ = order.removeAll()
        return lost + unsent
    }

    /// When something is overdue; `nil` if nothing can be.
    package mutating func deadline() -> Int64? {
        while let number = order.first, sent[number] == nil { order.removeFirst() }
        var earliest =
            switch state {
            case .greeting(let until), .ending(let until), .resting(let until): until
            case .stopped, .starting, .running: Int64.max
            }
        if let flight = waiting.first { earliest = min(earliest, flight.deadline) }
        if let number = order.first, let flight = sent[number] {
            earliest = min(earliest, flight.deadline)
        }
        return earliest == .max ? nil : earliest
    }
}
