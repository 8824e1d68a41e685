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
    private let ids: [String]
    let wire: [WireStageRunner]
    private(set) var chain: RecordChain
    private let captures: Filter?
    let shared: LaneShared
    private let fanOut: FanOut
    let board: LaneCounters
    let wireHooks: Hooks
    let bufferedHooks: Hooks
    let recordsProvenance: Bool

    private var pending: [Record] = []
    private var pendingMemory = 0
    private let returned = ReturnedRecords()
    private var counters = SourceCounters()
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
        number: Int,
        shared: LaneShared,
        fanOut: FanOut,
        board: LaneCounters,
        generation: UInt32 = 1,
        reusing former: [LaneStage] = []
    ) throws {
        self.generation = generation
        self.captures = captures
        self.shared = shared
        self.board = board
        self.fanOut = fanOut
        hosts = HostFilter(topology.stages)
        ids = topology.stages.map(\.id)
        stages = try PipelineLane.start(topology.stages, lane: number, shared, reusing: former)
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
        reusing former: [LaneStage]
    ) throws -> [LaneStage] {
        var started: [LaneStage] = []
        do {
            for stage in stages {
                if let same = former.first(where: { $0.identity === stage.identity }) {
                    started.append(same)
                    continue
                }
                let context = StageContext(
                    id: stage.id,
                    lane: lane,
                    log: shared.log.of(stage.id),
                    seed: shared.seed &+ UInt64(truncatingIfNeeded: lane),
                    clock: shared.now,
                    collectsCoverage: shared.collectsCoverage
                )
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
        guard let captures else { return true }
        return context.isSelected(Topology.maxStages, when: captures, exchange)
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
    var wantsOpened: Bool { captures != nil || shared.wantsActive }

    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {
        guard admits(exchange, &context), shared.wantsActive else { return }
        context.isAnnounced = true
        shared.opened(ActiveExchange(exchange) { hosts.passes($0) })
        // If a stage drops every ended exchange, `submit` is never called to report them.
        reportEnded()
    }

    private func reportEnded() {
        guard !ended.isEmpty else { return }
        shared.ended(ended)
        ended.removeAll(keepingCapacity: true)
    }

    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool {
        guard case .sealed(let record) = settle(consume exchange, consume context) else {
            return false
        }
        pending.append(record)
        pendingMemory += record.memory
        return true
    }

    func abandoned(_ exchange: borrowing Exchange, _ context: borrowing ExchangeContext) {
        if context.isAnnounced { shared.ended([exchange.id]) }
    }

    /// Runs the record stages and returns the outcome; `nil` if the source's `when` excludes the
    /// exchange.
    func settle(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext
    ) -> RecordChain.Outcome? {
        counters.received += 1
        if context.isAnnounced { ended.append(exchange.id) }
        guard admits(exchange, &context) else {
            counters.filtered += 1
            return nil
        }
        counters.sent += 1
        if recordsProvenance { noteUnaskedHooks(&context) }
        // Consumed, since a copy of the context would copy all of its provenance at the next change.
        let outcome =
            shared.budget.isExhausted
            ? chain.seal(exchange.withoutBodies(), consume context)
            : chain.seal(consume exchange, consume context)
        if case .failed(let position, let error) = outcome {
            shared.failures.report("\(ids[position]).record", shared.log.of(ids[position])) {
                "\(error); the record was dropped"
            }
        }
        return outcome
    }

    /// The counters of each stage.
    var stageCounters: [StageCounters] {
        var counts = chain.counters
        for (position, count) in hookErrors { counts[position].hookErrors = count }
        return counts
    }

    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> SubmitResult {
        let delivery = takeFinished()
        guard delivery != nil || ticket != nil else { return .open }
        return fanOut.submit(delivery.map { [$0] } ?? [], ticket: ticket, ready: ready)
    }

    /// Removes and returns the finished records; `nil` if there are none.
    func takeFinished() -> Delivery? {
        publish()
        reportEnded()
        returned.free()
        guard !pending.isEmpty else { return nil }
        let batch = RecordBatch(
            pending,
            memory: pendingMemory,
            budget: shared.budget,
            returned: returned
        )
        board.end(pending.count)
        pending = []
        pending.reserveCapacity(batch.records.count)
        pendingMemory = 0
        return Delivery(batch: batch, queues: shared.queues)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = submit(ticket: nil) {}
        returned.close()
        publish()
        board.close()
        stages.removeInReverse()
    }

    /// Publishes the counters for the summary.
    private func publish() {
        board.update(counters, stageCounters)
    }
}

/// The reason that a stage failed to start.
struct StageError: Error, CustomStringConvertible {
    let id: String
    let message: String

    var description: String { "stage '\(id)' did not start: \(message)" }
}

extension ExchangeError {
    /// The error of an exchange whose connection a stage closed.
    fileprivate static func aborted(by stage: String) -> ExchangeError {
        ExchangeError(code: "aborted", message: "aborted by stage '\(stage)'")
    }
}

extension Response {
    /// The response that is sent if a stage fails (RFC 9110 §15.6.3).
    fileprivate static func badGateway(from stage: String) -> Response {
        let text = Array("stage '\(stage)' failed\n".utf8)
        return Response(
            status: 502,
            reason: "Bad Gateway",
            fields: ["Content-Type": "text/plain; charset=utf-8"],
            body: Body(text)
        )
    }
}
