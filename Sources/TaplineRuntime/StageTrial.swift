// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin
internal import TaplineQuery

/// Runs recorded exchanges through stages that are made for nothing else, one after the other, and
/// says what became of each: what the server and the client get, and what sinks get.
///
/// The stages run in a lane as in a pipeline, without sources and sinks.
///
/// **Isolation**: one thread at a time.
public final class StageTrial {
    private let stages: [Topology.Stage]
    private let lane: PipelineLane
    private let wholeBodies: Hooks
    private var selected: [Bool]

    /// Makes and starts the stages.
    ///
    /// - Parameters:
    ///   - stages: The stages.
    ///   - wholeBodies: The wire hooks that see whole bodies.
    ///   - log: Where the stages log.
    ///   - seed: What random generators begin with.
    ///   - clock: What time it is.
    ///   - collectsCoverage: Whether scripts note which of their lines run.
    /// - Throws: What a stage throws that does not begin; those before it are stopped.
    public init(
        _ stages: [Topology.Stage],
        wholeBodies: Hooks = .wire,
        log: Log = .none,
        seed: UInt64 = 0,
        clock: @escaping @Sendable () -> Timestamp,
        collectsCoverage: Bool = false
    ) throws {
        self.stages = stages
        self.wholeBodies = wholeBodies
        selected = Array(repeating: false, count: stages.count)
        lane = try PipelineLane(
            Topology(sources: [], stages: stages, sinks: []),
            captures: nil,
            number: 0,
            shared: LaneShared(
                log: log.cleaned(by: stages),
                budget: MemoryBudget(limit: .max),
                sinks: [],
                seed: seed,
                now: clock,
                collectsCoverage: collectsCoverage
            ),
            fanOut: FanOut([], isLive: false),
            board: LaneBoard()
        )
    }

    /// Passes one exchange through all hooks; pauses that stages ask for are not made.
    public func run(_ exchange: consuming Exchange) -> TrialOutcome {
        var context = ExchangeContext()
        let before = lane.stageCounters
        let wire = lane.passWire(&exchange, &context, wholeBodies: wholeBodies)
        let request = exchange.request
        let response = wire.isAborted ? nil : exchange.response
        for position in stages.indices where context.hasSelected(position) {
            selected[position] = true
        }
        let fate = fate(of: lane.settle(exchange, context))
        noteRecordHooks(since: before)
        let errors = lane.stageCounters.reduce(0) { $0 + $1.errors + $1.hookErrors }
        return TrialOutcome(
            request: request,
            response: response,
            isAnswered: wire.isAnswered,
            isAborted: wire.isAborted,
            delay: wire.delay,
            errors: errors - before.reduce(0) { $0 + $1.errors + $1.hookErrors },
            fate: fate
        )
    }

    /// Stops the stages; nothing may run after it.
    public func stop() { lane.close() }

    /// The ids of stages whose `when` has held for no exchange so far.
    public var neverSelected: [String] {
        zip(stages, selected).filter { $0.condition != nil && !$1 }.map(\.0.id)
    }

    /// The ids of stages that have a `when` which has held.
    public var selectedStages: [String] {
        zip(stages, selected).filter { $0.condition != nil && $1 }.map(\.0.id)
    }

    /// What the stages have counted of their own, with the id and the hooks of each.
    public var metrics: [(stage: String, hooks: Hooks, metrics: [Metric])] {
        stages.map { ($0.id, $0.factory.hooks, $0.factory.metrics) }
    }

    /// Which lines of scripts have run.
    public var coverage: [ScriptCoverage] { stages.flatMap(\.factory.coverage) }

    private func fate(of outcome: RecordChain.Outcome?) -> TrialOutcome.Fate {
        switch outcome {
        case .sealed(let record): .kept(record.exchange)
        case .dropped(let position, let reason): .dropped(by: stages[position].id, reason: reason)
        case .failed(let position, let error): .failed(at: stages[position].id, "\(error)")
        // Only a source's `when` leaves an exchange out, and there is none.
        case nil: .dropped(by: "", reason: "")
        }
    }

    /// A stage without wire hooks decides at its record hook, which counts what it leaves out.
    private func noteRecordHooks(since before: [StageCounters]) {
        for (position, (old, new)) in zip(before, lane.stageCounters).enumerated()
        where stages[position].factory.hooks.contains(.record) {
            let arrived = new.received - old.received
            if arrived > new.skipped - old.skipped { selected[position] = true }
        }
    }
}

/// What became of an exchange that was passed through stages.
public struct TrialOutcome: Sendable {
    /// What became of its record.
    public enum Fate: Sendable {
        /// Sinks get this.
        case kept(Exchange)
        /// A stage dropped it.
        case dropped(by: String, reason: String)
        /// A record hook failed, so it was dropped.
        case failed(at: String, String)
    }

    /// The request as the server gets it; as it was when a stage answered or closed the connection.
    public let request: Request
    /// The response as the client gets it; nothing where there is none.
    public let response: Response?
    /// Whether a stage answered in the server's place.
    public let isAnswered: Bool
    /// Whether a stage closed the connection.
    public let isAborted: Bool
    /// The pauses that stages asked for.
    public let delay: Microseconds
    /// How many hooks failed.
    public let errors: Int
    /// What became of its record.
    public let fate: Fate
}

extension ExchangeContext {
    /// Whether a stage's `when` has been evaluated and holds.
    fileprivate func hasSelected(_ stage: Int) -> Bool {
        decided.contains(stage) && selected.contains(stage)
    }
}
