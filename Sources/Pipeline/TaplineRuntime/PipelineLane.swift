// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// A thread's own instances of the stages of one generation, and its connection to the sinks.
final class PipelineLane: Lane {
    /// The number of its generation.
    let generation: UInt32
    private(set) var stages: [LaneStage]
    let ids: [String]
    let wire: [WireStageRunner]
    var chain: RecordChain
    let captures: Filter?
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
    private var hookErrors: [Int: Int] = [:]
    /// Ended exchanges whose beginning the sinks were notified of.
    var ended: [ExchangeID] = []
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
        board: LaneCounters,
        generation: UInt32 = 1,
        reusing former: [LaneStage] = []
    ) throws {
        self.generation = generation
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
            mayWait: !fanOut.isLive,
            reusing: former
        )
        var wire: [WireStageRunner] = []
        var links: [RecordChain.Link] = []
        for (position, (stage, held)) in zip(topology.stages, stages).enumerated() {
            let instance = held.instance
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

    /// Creates and starts the stages that the lane's former generation does not have; if one fails,
    /// the earlier ones are stopped.
    private static func start(
        _ stages: [Topology.Stage],
        lane: Int,
        _ shared: LaneShared,
        mayWait: Bool,
        reusing former: [LaneStage]
    ) throws -> [LaneStage] {
        var started: [LaneStage] = []
        do {
            for stage in stages {
                if let same = former.first(where: { $0.identity === stage.identity }) {
                    started.append(same)
                    continue
                }
                var context = StageContext(
                    id: stage.id,
                    lane: lane,
                    log: shared.log.of(stage.id),
                    seed: shared.seed &+ UInt64(truncatingIfNeeded: lane),
                    clock: shared.now,
                    collectsCoverage: shared.collectsCoverage
                )
                context.mayWait = mayWait
                context.stopDeadline = shared.stopDeadline
                context.endingThreads = shared.endingThreads
                let instance = try stage.factory.makeStage(context)
                // A stage that lacks a declared hook would silently let secrets pass.
                let hooks = stage.factory.hooks
                guard hooks.isDisjoint(with: .wire) || instance is any WireStage,
                    !hooks.contains(.record) || instance is any RecordStage
                else {
                    throw StageError(id: stage.id, message: "it lacks a hook that it declares")
                }
                try instance.start()
                started.append(LaneStage(instance, stage.identity))
            }
        } catch {
            started.removeInReverse()
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
    func note(
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

// MARK: - Counters and the end

extension PipelineLane {
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
        publish()
        board.close()
        stages.removeInReverse()
    }

    /// Publishes the counters for the summary.
    func publish() {
        board.update(counters, stageCounters, parked.firstWait)
    }
}
