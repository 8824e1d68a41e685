// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin

/// A lane of a source over all generations of a pipeline: each exchange passes the stages that were
/// configured when it began.
///
/// Only a flag is read for each exchange while nothing changes.
final class SourceLane: Lane {
    private var current: PipelineLane
    /// The lanes of earlier generations that still have exchanges; mostly empty.
    private var older: [PipelineLane] = []
    /// The hooks of `current` and `older` together, which change only with these.
    private var allHooks: (wire: Hooks, buffered: Hooks)
    private let slot: LaneSlot
    private let fanOut: FanOut
    /// Called when a verdict is known that a record waits for.
    private var answered: (@Sendable () -> Void)?
    private var isClosed = false

    init(_ first: PipelineLane, _ slot: LaneSlot, _ fanOut: FanOut) {
        current = first
        allHooks = (first.wireHooks, first.bufferedHooks)
        self.slot = slot
        self.fanOut = fanOut
    }

    deinit { close() }

    // MARK: - Generations

    /// The lane of the exchange with a context; an exchange that begins gets the newest one.
    @inline(__always)
    func lane(of context: inout ExchangeContext) -> PipelineLane {
        if context.generation == current.generation { return current }
        return context.generation == 0 ? newest(for: &context) : former(context.generation)
    }

    @inline(__always)
    private func newest(for context: inout ExchangeContext) -> PipelineLane {
        if slot.hasNext { takeNext() }
        context.generation = current.generation
        current.board.begin()
        return current
    }

    @inline(never)
    private func takeNext() {
        guard let next = slot.take() else { return }
        older.append(current)
        current = next
        if let answered { next.whenAnswered(answered) }
        endOlder()
    }

    @inline(never)
    private func former(_ generation: UInt32) -> PipelineLane {
        // There is one as long as the exchange is under way.
        older.first { $0.generation == generation } ?? current
    }

    /// Closes the lanes whose exchanges have ended and whose records are submitted.
    private func endOlder() {
        older.removeAll { lane in
            guard lane.board.isIdle else { return false }
            lane.close()
            return true
        }
        allHooks = (current.wireHooks, current.bufferedHooks)
        for lane in older {
            allHooks.wire.formUnion(lane.wireHooks)
            allHooks.buffered.formUnion(lane.bufferedHooks)
        }
    }

    // MARK: - The exchange

    func begin(_ context: inout ExchangeContext) {
        if context.generation == 0 { _ = newest(for: &context) }
    }

    var wantsOpened: Bool {
        if slot.hasNext { takeNext() }
        return current.wantsOpened || older.contains { $0.wantsOpened }
    }

    var wireHooks: Hooks {
        if slot.hasNext { takeNext() }
        return allHooks.wire
    }

    var bufferedHooks: Hooks {
        if slot.hasNext { takeNext() }
        return allHooks.buffered
    }

    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {
        lane(of: &context).opened(exchange, &context)
    }

    func admits(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Bool {
        lane(of: &context).admits(exchange, &context)
    }

    func wantedBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int {
        lane(of: &context).wantedBody(of: hook, exchange, &context)
    }

    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        lane(of: &context).request(&exchange, &context)
    }

    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        lane(of: &context).response(&exchange, &context)
    }

    func wantedMessages(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Int {
        lane(of: &context).wantedMessages(exchange, &context)
    }

    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome {
        lane(of: &context).message(&message, &exchange, &context)
    }

    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool {
        let lane = lane(of: &context)
        guard lane.finish(exchange, context) else {
            ended(in: lane)
            return false
        }
        // It is under way until its record is submitted.
        return true
    }

    func abandoned(_ exchange: borrowing Exchange, _ context: borrowing ExchangeContext) {
        guard context.generation != 0 else { return }
        let isCurrent = context.generation == current.generation
        let lane = isCurrent ? current : former(context.generation)
        lane.abandoned(exchange, context)
        ended(in: lane)
    }

    private func ended(in lane: PipelineLane) {
        lane.board.end(1)
        if !older.isEmpty { endOlder() }
    }

    // MARK: - Records

    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> SubmitResult {
        guard !older.isEmpty else { return current.submit(ticket: ticket, ready: ready) }
        return submitAll(ticket: ticket, acknowledged: nil, ready: ready)
    }

    func hold(_ count: Int) -> Bool { current.hold(count) }

    func release(_ count: Int) { current.release(count) }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        slot.close()
        for lane in older { lane.close() }
        older = []
        current.close()
    }
}

// Records of several generations, which are submitted together.
extension SourceLane: AcknowledgingLane {
    func submit(
        ticket: UInt64?,
        acknowledged: @escaping @Sendable () -> Void,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        guard !older.isEmpty else {
            return current.submit(ticket: ticket, acknowledged: acknowledged, ready: ready)
        }
        return submitAll(ticket: ticket, acknowledged: acknowledged, ready: ready)
    }

    /// Submits the records of all generations.
    ///
    /// A recording waits for the records that are parked, so that they keep their order.
    private func submitAll(
        ticket: UInt64?,
        acknowledged: (@Sendable () -> Void)?,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        let lanes = older + [current]
        let isPatient = ticket != nil || acknowledged != nil || !fanOut.isLive
        var submissions: [FanOut.Submission] = []
        for lane in lanes {
            lane.prepareSubmission(waiting: isPatient)
            submissions += lane.takeParkedSubmissions()
        }
        // A batch without records still keeps its ticket and is acknowledged.
        let isAwaited = ticket != nil || acknowledged != nil
        let finished = lanes.filter { $0.hasFinished || isAwaited && $0 === current }
        if !finished.isEmpty {
            // The batch is done when the sinks of all generations are.
            let acknowledgement = acknowledged.map { acknowledged in
                let sinks = finished.reduce(0) { $0 + $1.sinkCount }
                return BatchAcknowledgement(sinks: sinks, acknowledged)
            }
            let deliveries = finished.map { $0.takeDelivery(acknowledgement) }
            submissions.append(FanOut.Submission(deliveries: deliveries, ticket: ticket))
        }
        defer { endOlder() }
        return fanOut.submit(submissions, ready: ready)
    }
}

extension SourceLane: ParkingLane {
    func whenAnswered(_ call: @escaping @Sendable () -> Void) {
        answered = call
        for lane in older + [current] { lane.whenAnswered(call) }
    }
}

extension SourceLane: PausingLane {
    func show(
        _ pause: Pause,
        _ exchange: inout Exchange,
        _ context: ExchangeContext,
        decided: @escaping @Sendable (PauseDecision?) -> Void
    ) -> PausedExchanges? {
        begun(context).show(pause, &exchange, context, decided: decided)
    }

    func carryOut(
        _ decision: PauseDecision,
        _ action: WireOutcome.Action,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        after wait: PauseWait
    ) -> WireOutcome.Action {
        lane(of: &context).carryOut(decision, action, &exchange, &context, after: wait)
    }

    func pass(
        _ end: Pause.End,
        _ action: WireOutcome.Action,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        after wait: PauseWait
    ) {
        lane(of: &context).pass(end, action, &exchange, &context, after: wait)
    }

    /// The lane of an exchange that has begun.
    private func begun(_ context: borrowing ExchangeContext) -> PipelineLane {
        let isCurrent = context.generation == current.generation || context.generation == 0
        return isCurrent ? current : former(context.generation)
    }
}
