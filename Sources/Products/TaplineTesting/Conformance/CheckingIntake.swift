// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin

/// An intake that answers a source as configured, and records violations by the source.
final class CheckingIntake: Intake {
    /// How `submit` answers.
    enum Mode: Sendable, Equatable {
        /// There is always room.
        case takes
        /// There is no room after any batch; then there is room again soon, or never.
        case pauses(forever: Bool)
        /// No records are accepted.
        case isClosed
    }

    private struct State {
        var violations: [Violation] = []
        var lanes = 0
        var closedLanes = 0
        var begun: Set<ExchangeID> = []
        var ended: Set<ExchangeID> = []
        var dropped = 0
        var submitted: [(ticket: UInt64?, exchanges: [Exchange])] = []
    }

    let id = Subject.id
    let log = Log.none
    let isLive: Bool
    /// Set by the first answer to a `submit`.
    let firstAnswer = Once<Bool>()
    /// Set when the source reports its addresses.
    let point = Once<ListeningPoint>()
    private let mode: Mode
    private let state = Mutex(State())
    private let later = DispatchQueue(label: "conformance.ready")

    init(_ mode: Mode, isLive: Bool) {
        self.mode = mode
        self.isLive = isLive
    }

    func makeLane() throws -> any Lane {
        state.withLock { $0.lanes += 1 }
        return CheckingLane(self)
    }

    func progress(done: Int64, of whole: Int64?) {
        if done < 0 || done > whole ?? .max {
            note(.laneUse, "it reports progress of \(done) of \(whole ?? 0)")
        }
    }

    func rejected(_ count: Int) {
        if count < 0 { note(.counters, "it counts \(count) exchanges as rejected") }
    }

    func listens(at found: ListeningPoint) { point.settle(found) }

    func dropped(_ count: Int) { state.withLock { $0.dropped += count } }

    /// The number of exchanges that the source has dropped.
    var droppedCount: Int { state.withLock { $0.dropped } }

    func note(_ check: Violation.Check, _ text: String) {
        let violation = Violation(check: check, text: text)
        state.withLock { if !$0.violations.contains(violation) { $0.violations.append(violation) } }
    }

    /// All exchanges in the order in which they would reach the sinks.
    var finished: [Exchange] {
        let submitted = state.withLock { $0.submitted }
        return
            submitted.enumerated()
            .sorted { ($0.element.ticket ?? 0, $0.offset) < ($1.element.ticket ?? 0, $1.offset) }
            .flatMap(\.element.exchanges)
    }

    /// Returns the violations so far, including unfinished work if the source has returned.
    func verdict(hasReturned: Bool) -> [Violation] {
        if hasReturned {
            let (open, unfinished) = state.withLock {
                ($0.lanes - $0.closedLanes, $0.begun.subtracting($0.ended).count)
            }
            if open > 0 { note(.laneUse, "it returns and leaves \(open) lanes open") }
            // When cancelled or refused, a source may drop an exchange that has just begun.
            if unfinished > 0, mode == .takes || mode == .pauses(forever: false) {
                note(.oneEnd, "\(unfinished) exchanges begin and do not end")
            }
            checkTickets()
        }
        return state.withLock { $0.violations }
    }

    private func checkTickets() {
        let tickets = state.withLock {
            $0.submitted.filter { !$0.exchanges.isEmpty || $0.ticket != nil }
        }
        .map(\.ticket)
        let numbers = tickets.compactMap(\.self)
        if numbers.isEmpty { return }
        if numbers.count != tickets.count {
            note(.laneUse, "some batches have tickets and some have none")
        }
        let isWhole = numbers.sorted() == (0..<UInt64(numbers.count)).map(\.self)
        // When cancelled, some lanes may not have reached their tickets.
        if !isWhole, mode == .takes || mode == .pauses(forever: false) {
            note(.counters, "tickets have gaps or duplicates, so records never arrive")
        }
    }
}

// MARK: - Callbacks of lanes

extension CheckingIntake {
    fileprivate func begin(_ id: ExchangeID) {
        let isNew = state.withLock { $0.begun.insert(id).inserted }
        if !isNew { note(.oneEnd, "two exchanges have the same id") }
    }

    fileprivate func end(_ id: ExchangeID) {
        let isFirst = state.withLock { $0.ended.insert(id).inserted }
        if !isFirst { note(.oneEnd, "an exchange ends twice") }
    }

    fileprivate func close() {
        state.withLock { $0.closedLanes += 1 }
    }

    fileprivate func submit(
        _ exchanges: [Exchange],
        ticket: UInt64?,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        let isFirst = state.withLock {
            $0.submitted.append((ticket, exchanges))
            return $0.submitted.count == 1
        }
        firstAnswer.settle(true)
        switch mode {
        case .takes: return .open
        case .isClosed: return .closed
        case .pauses(let forever):
            // On a busy machine, a source that does not wait may need more than a millisecond for its
            // next batch; one long pause is enough to find it.
            let pause = DispatchTimeInterval.milliseconds(isFirst ? 100 : 1)
            if !forever { later.asyncAfter(deadline: .now() + pause, execute: ready) }
            return .paused
        }
    }
}

/// A lane that runs no hooks and checks how it is used.
private final class CheckingLane: Lane {
    private enum Step {
        case opened
        case requested
        case responded
    }

    private let intake: CheckingIntake
    private let inUse = Mutex(false)
    private let isPaused = Flag()
    private var isRefused = false
    private var isClosed = false
    private var steps: [ExchangeID: Step] = [:]
    private var pending: [Exchange] = []

    init(_ intake: CheckingIntake) {
        self.intake = intake
    }

    /// Wraps every call: only one thread at a time, and none after the lane was closed.
    private func call<Result>(_ name: String, _ work: () -> Result) -> Result {
        let isFree = inUse.withLock { inUse in
            defer { inUse = true }
            return !inUse
        }
        if !isFree { intake.note(.laneUse, "two threads use one lane at the same time") }
        if isClosed { intake.note(.laneUse, "it calls '\(name)' on a closed lane") }
        defer { inUse.withLock { $0 = false } }
        return work()
    }

    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {
        let id = exchange.id
        call("opened") {
            if !intake.isLive {
                intake.note(.laneUse, "it calls 'opened' but is not a live source")
            }
            step(id, from: nil, to: .opened, "opened")
            intake.begin(id)
        }
    }

    func admits(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Bool { true }

    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        call("request") {
            if intake.isLive {
                step(exchange.id, from: .opened, to: .requested, "request")
            } else {
                step(exchange.id, from: nil, to: .requested, "request")
                intake.begin(exchange.id)
            }
            if exchange.source != intake.id {
                intake.note(.laneUse, "the source of an exchange is not the component's id")
            }
            return WireOutcome(.forward)
        }
    }

    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        call("response") {
            step(exchange.id, from: .requested, to: .responded, "response")
            if exchange.response == nil {
                intake.note(.laneUse, "it calls 'response' without a response")
            }
            return WireOutcome(.forward)
        }
    }

    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome {
        call("message") {
            step(exchange.id, from: .responded, to: .responded, "message")
            return .pass
        }
    }

    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool {
        let exchange = exchange
        return call("finish") {
            let step = steps.removeValue(forKey: exchange.id)
            if step != .responded, exchange.response != nil || step != .requested {
                intake.note(.laneUse, "it calls 'finish' before the hooks of the exchange have run")
            }
            intake.end(exchange.id)
            pending.append(exchange)
            return true
        }
    }

    func abandoned(_ exchange: borrowing Exchange, _ context: borrowing ExchangeContext) {
        let id = exchange.id
        call("abandoned") {
            if steps.removeValue(forKey: id) == nil {
                intake.note(.laneUse, "it calls 'abandoned' for an exchange that is not open")
            }
            intake.end(id)
        }
    }

    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> SubmitResult {
        call("submit") {
            // An empty batch only keeps the position of its ticket.
            guard !pending.isEmpty || ticket != nil else { return isRefused ? .closed : .open }
            if isPaused.isSet {
                intake.note(.admission, "it submits again while sinks are full")
            }
            if isRefused, !pending.isEmpty {
                intake.note(.admission, "it submits again when no records are accepted")
            }
            let batch = pending
            pending = []
            isPaused.set(true)
            let answer = intake.submit(batch, ticket: ticket) { [isPaused] in
                isPaused.set(false)
                ready()
            }
            if answer != .paused { isPaused.set(false) }
            isRefused = answer == .closed
            return answer
        }
    }

    func close() {
        guard !isClosed else { return }
        call("close") {
            if !pending.isEmpty {
                _ = intake.submit(pending, ticket: nil) {}
                pending = []
            }
            intake.close()
        }
        isClosed = true
    }

    private func step(_ id: ExchangeID, from expected: Step?, to next: Step, _ name: String) {
        if steps[id] != expected {
            intake.note(.laneUse, "it calls '\(name)' out of turn")
        }
        steps[id] = next
    }
}

// What a source hands over counts as stored at once.
extension CheckingLane: AcknowledgingLane {
    func submit(
        ticket: UInt64?,
        acknowledged: @escaping @Sendable () -> Void,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        defer { acknowledged() }
        return submit(ticket: ticket, ready: ready)
    }
}

/// A boolean that any thread may set.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set(_ isSet: Bool) { value.withLock { $0 = isSet } }
}
