// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// A thread's own instances of the stages, and its connection to the sinks.
final class PipelineLane: Lane {
    private let stages: [any Stage]
    let ids: [String]
    let wire: [WireStageRunner]
    var chain: RecordChain
    private let captures: Filter?
    let sampling: Sampling?
    let isLive: Bool
    let shared: LaneShared
    let fanOut: FanOut
    let board: LaneCounters
    let wireHooks: Hooks
    let bufferedHooks: Hooks
    let recordsProvenance: Bool

    var pending: [Record] = []
    var pendingMemory = 0
    /// The records from the first one on that waits for a verdict.
    var parked = ParkedRecords()
    let returned = ReturnedRecords()
    var counters = SourceCounters()
    /// Exchanges without a record since the counters were published.
    private var unpublished = 0
    private var hookErrors: [Int: Int] = [:]
    /// Ended exchanges whose beginning the sinks were notified of.
    private var ended: [ExchangeID] = []
    var hosts: HostFilter
    private var isClosed = false

    /// The longest delay of all hooks of a kind: a day, in microseconds.
    private static let maxDelay: Int64 = 86_400_000_000

    init(
        _ topology: Topology,
        captures: Filter?,
        sampling: Sampling? = nil,
        isLive: Bool = false,
        number: Int,
        shared: LaneShared,
        fanOut: FanOut,
        board: LaneCounters
    ) throws {
        self.captures = captures
        self.sampling = sampling
        self.isLive = isLive
        self.shared = shared
        self.board = board
        self.fanOut = fanOut
        hosts = HostFilter(topology.stages)
        ids = topology.stages.map(\.id)
        stages = try PipelineLane.start(
            topology.stages,
            lane: number,
            shared,
            mayWait: !fanOut.isLive
        )
        var wire: [WireStageRunner] = []
        var links: [RecordChain.Link] = []
        for (position, (stage, instance)) in zip(topology.stages, stages).enumerated() {
            let hooks = stage.factory.hooks
            if !hooks.isDisjoint(with: .wire), let wireStage = instance as? any WireStage {
                wire.append(WireStageRunner(stage, at: position, wireStage))
            }
            let recordStage = hooks.contains(.record) ? instance as? any RecordStage : nil
            links.append(
                RecordChain.Link(
                    id: stage.id,
                    stage: recordStage,
                    when: stage.condition,
                    redacts: stage.factory.redacts
                )
            )
        }
        self.wire = wire
        bufferedHooks = wire.reduce(into: []) { $0.formUnion($1.bodyHooks) }
        wireHooks = wire.reduce(into: []) { $0.formUnion($1.hooks.intersection(.wire)) }
        recordsProvenance = topology.recordsProvenance
        chain = RecordChain(
            links,
            digests: topology.needsDigests,
            recordsProvenance: topology.recordsProvenance
        )
    }

    /// Creates and starts the stages; if one fails, the earlier ones are stopped.
    private static func start(
        _ stages: [Topology.Stage],
        lane: Int,
        _ shared: LaneShared,
        mayWait: Bool
    ) throws -> [any Stage] {
        var started: [any Stage] = []
        do {
            for stage in stages {
                var context = StageContext(
                    id: stage.id,
                    lane: lane,
                    log: shared.log.of(stage.id),
                    seed: shared.seed &+ UInt64(truncatingIfNeeded: lane),
                    clock: shared.now,
                    collectsCoverage: shared.collectsCoverage
                )
                context.mayWait = mayWait
                let instance = try stage.factory.makeStage(context)
                // A stage that lacks a declared hook would silently let secrets pass.
                let hooks = stage.factory.hooks
                guard hooks.isDisjoint(with: .wire) || instance is any WireStage,
                    !hooks.contains(.record) || instance is any RecordStage
                else {
                    throw StageError(id: stage.id, message: "it lacks a hook that it declares")
                }
                try instance.start()
                started.append(instance)
            }
        } catch {
            for stage in started.reversed() { stage.stop() }
            throw error
        }
        return started
    }

    deinit { close() }
}

// MARK: - The wire

extension PipelineLane {
    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        if wire.isEmpty, captures == nil { return WireOutcome(.forward) }
        guard admits(exchange, &context), !wire.isEmpty else { return WireOutcome(.forward) }
        context.plane = .request
        if recordsProvenance { context.beginProvenance(exchange) }
        let before = exchange.request.line
        defer { exchange.noteOriginal(request: before) }
        return run(.request, asked: before.method, &exchange, &context)
    }

    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        if wire.isEmpty, captures == nil { return WireOutcome(.forward) }
        guard admits(exchange, &context), !wire.isEmpty else { return WireOutcome(.forward) }
        context.plane = .response
        if recordsProvenance { context.beginProvenance(exchange) }
        let before = exchange.response?.status
        defer { exchange.noteOriginal(status: before) }
        return run(.response, asked: exchange.original.method, &exchange, &context)
    }

    func admits(
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Bool {
        guard context.isSelected(Topology.maxStages, when: captures, exchange) else { return false }
        if sampling != nil { decideRecording(exchange, &context) }
        return true
    }

    func wantedBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int {
        guard !bufferedHooks.isDisjoint(with: hook), admits(exchange, &context) else { return 0 }
        var wanted = 0
        var mayChange = false
        for link in wire where link.hooks.contains(hook) {
            let isWanted =
                link.bodyHooks.contains(hook)
                && (mayChange
                    || context.mayBeSelected(link.position, when: link.condition, exchange))
                && link.needsBody(of: hook, exchange, context, mayChange: mayChange)
            if isWanted { wanted = max(wanted, link.buffer.maxBytes) }
            // A change by this stage may make the condition of a later one true.
            mayChange = true
        }
        return wanted
    }

    func hold(_ count: Int) -> Bool {
        guard !shared.budget.isExhausted else { return false }
        shared.budget.take(count)
        return true
    }

    func release(_ count: Int) { shared.budget.give(count) }

    /// Runs the hooks of one kind; `asked` is the method that the client sent, or `nil` if no hook
    /// changed it.
    private func run(
        _ hook: Hooks,
        asked: ByteString?,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> WireOutcome {
        var delay: Int64 = 0
        var pause: Pause?
        for link in wire where link.hooks.contains(hook) {
            guard link.isSelected(for: exchange, &context) else {
                if recordsProvenance { context.noteExcluded(link.position, link.id) }
                continue
            }
            let verdict = verdict(of: link, hook, &exchange, &context)
            delay = min(delay + min(max(verdict.delay.count, 0), Self.maxDelay), Self.maxDelay)
            if let wanted = verdict.pause { note(wanted, &pause, &exchange) }
            let end = carryOut(verdict, of: link, hook, asked: asked, &exchange, &context)
            if recordsProvenance {
                context.noteHook(of: link.id, verdict.provenance, delay: verdict.delay, exchange)
                if end != nil { noteUnasked(hook, after: link.position, &context) }
            }
            if let end {
                let pause = end == .abort ? nil : pause
                return WireOutcome(end, delay: Microseconds(delay), pause: pause)
            }
        }
        return WireOutcome(.forward, delay: Microseconds(delay), pause: pause)
    }

    /// Carries out the verdict of a hook.
    ///
    /// - Returns: How the exchange goes on if the remaining hooks of its kind do not run; `nil` if
    ///   they do.
    private func carryOut(
        _ verdict: Verdict,
        of link: WireStageRunner,
        _ hook: Hooks,
        asked: ByteString?,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> WireOutcome.Action? {
        switch verdict.action {
        case .proceed: return nil
        case .drop(let reason):
            guard context.droppedBy == nil else { return nil }
            context.droppedBy = link.position
            context.dropReason = reason
            return nil
        case .respond(let response), .respondAsRecorded(let response):
            exchange.response = response
            if case .respond = verdict.action {
                exchange.response?.frame(answering: asked ?? exchange.request.method)
            }
            return hook == .request ? .respond : nil
        case .abort:
            exchange.state = .cancelled
            exchange.error = .aborted(by: link.id)
            return .abort
        case .fail(let error):
            exchange.state = .failed
            exchange.error = error
            return .abort
        }
    }

    /// Calls one hook; an error that it throws becomes the verdict that `on_error` sets.
    private func verdict(
        of link: WireStageRunner,
        _ hook: Hooks,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> Verdict {
        do {
            return hook == .request
                ? try link.stage.request(&exchange, &context)
                : try link.stage.response(&exchange, &context)
        } catch {
            note(error, of: link, hook, &exchange, &context)
            switch link.onError {
            case .pass: return .proceed
            case .respond: return .respond(.badGateway(from: link.id))
            case .abort: return .abort
            }
        }
    }

    /// Counts and logs an error that a hook threw.
    private func note(
        _ error: any Error,
        of link: WireStageRunner,
        _ hook: Hooks,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) {
        context.noteFailure()
        hookErrors[link.position, default: 0] += 1
        shared.failures.report("\(link.id).\(hook.rawValue)", shared.log.of(link.id)) {
            "\(error); the exchange continued with on_error '\(link.onError.name)'"
        }
        exchange.tags["tapline.error"] = "stage '\(link.id)' failed"
    }
}

// MARK: - Messages

extension PipelineLane {
    func wantedMessages(
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int {
        guard wireHooks.contains(.message), admits(exchange, &context) else { return 0 }
        var wanted = 0
        for link in wire where link.hooks.contains(.message) {
            guard context.mayBeSelected(link.position, when: link.condition, exchange) else {
                continue
            }
            wanted = max(wanted, link.buffer.maxBytes, 1)
        }
        return wanted
    }

    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome {
        guard wireHooks.contains(.message), admits(exchange, &context) else { return .pass }
        context.plane = .message
        if recordsProvenance { context.beginProvenance(exchange) }
        for link in wire where link.hooks.contains(.message) {
            guard link.isSelected(for: exchange, &context) else {
                if recordsProvenance { context.noteExcluded(link.position, link.id) }
                continue
            }
            let verdict =
                recordsProvenance
                ? notedVerdict(of: link, &message, &exchange, &context)
                : messageVerdict(of: link, &message, &exchange, &context)
            switch verdict.action {
            case .pass: continue
            case .drop: return .drop
            case .abort:
                exchange.state = .cancelled
                exchange.error = .aborted(by: link.id)
                return .abort
            }
        }
        return .pass
    }

    /// Calls one hook; if it throws, the message is restored and `on_error` decides.
    func messageVerdict(
        of link: WireStageRunner,
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageVerdict {
        let before = message
        do {
            return try link.stage.message(&message, &exchange, &context)
        } catch {
            message = before
            note(error, of: link, .message, &exchange, &context)
            return link.onError == .pass ? .pass : .abort
        }
    }
}

// MARK: - The record

extension PipelineLane {
    var wantsOpened: Bool { captures != nil || shared.wantsActive || limitsRecording }

    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {
        guard admits(exchange, &context) else { return }
        if limitsRecording { decideRecording(exchange, &context) }
        guard shared.wantsActive, context.isRecorded else { return }
        context.isAnnounced = true
        shared.opened(ActiveExchange(exchange) { hosts.passes($0) })
        // If a stage drops every ended exchange, `submit` is never called to report them.
        reportEnded()
    }

    func reportEnded() {
        guard !ended.isEmpty else { return }
        shared.ended(ended)
        ended.removeAll(keepingCapacity: true)
    }

    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool {
        switch enter(consume exchange, consume context) {
        case .ended(.sealed(let record)):
            keep(record)
            return true
        case .parked(let waiting):
            park(waiting)
            return true
        case .ended, nil: return false
        }
    }

    func abandoned(_ exchange: borrowing Exchange, _ context: borrowing ExchangeContext) {
        if context.isAnnounced { shared.ended([exchange.id]) }
        if context.isInFlight { shared.limits.leave() }
    }

    /// Counts an exchange that is not recorded.
    private func noteUnrecorded(_ reason: RecordingDecision) {
        counters.count(reason)
        if reason == .shedMemory || reason == .shedProcessor { shared.limits.noteShed() }
        unpublished += 1
        // Without a record, `submit` may never be called.
        if unpublished >= 64 { publish() }
    }

    /// Runs the record stages and returns the outcome; `nil` if the exchange is not recorded, since
    /// the source's `when` or a limit excludes it.
    func settle(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext
    ) -> RecordChain.Outcome? {
        var step = enter(consume exchange, consume context)
        while case .parked(let waiting) = step { step = resume(waiting, waiting.verdict.wait()) }
        guard case .ended(let outcome) = step else { return nil }
        return outcome
    }

    /// Runs the record stages up to a verdict that is given later, as `settle` does without one.
    private func enter(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext
    ) -> RecordChain.Step? {
        counters.received += 1
        if context.isAnnounced { ended.append(exchange.id) }
        guard admits(exchange, &context) else {
            counters.filtered += 1
            return nil
        }
        if context.isInFlight { shared.limits.leave() }
        guard context.isRecorded else {
            noteUnrecorded(context.recording)
            return nil
        }
        counters.sent += 1
        measure(exchange)
        if recordsProvenance { noteUnaskedHooks(&context) }
        // Consumed, since a copy of the context would copy all of its provenance at the next change.
        let step =
            shared.budget.isExhausted
            ? chain.begin(exchange.withoutBodies(), consume context)
            : chain.begin(consume exchange, consume context)
        if case .ended(let outcome) = step { report(outcome) }
        return step
    }

    /// The counters of each stage.
    var stageCounters: [StageCounters] {
        var counts = chain.counters
        for (position, count) in hookErrors { counts[position].hookErrors = count }
        return counts
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if !parked.isEmpty { resumeParked(waiting: true) }
        _ = submit(ticket: nil) {}
        returned.close()
        for stage in stages.reversed() { stage.stop() }
        publish()
    }

    /// Publishes the counters for the summary.
    func publish() {
        unpublished = 0
        board.update(counters, stageCounters)
    }
}
