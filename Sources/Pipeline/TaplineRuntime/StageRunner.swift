// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin
internal import TaplineQuery

/// Runs recorded exchanges through stages, one after the other, and returns the outcome of each:
/// the request for the server, the response for the client, and the record for sinks.
///
/// The stages run in a lane as in a pipeline, but without sources and sinks.
///
/// **Isolation**: one thread at a time.
package final class StageRunner {
    private let stages: [Topology.Stage]
    private let lane: PipelineLane
    private let wholeBodies: Hooks
    private var selected: [Bool]

    /// Creates and starts the stages.
    ///
    /// - Parameters:
    ///   - stages: The stages.
    ///   - wholeBodies: The wire hooks that see whole bodies.
    ///   - log: The log of the stages.
    ///   - seed: The seed of the random generators.
    ///   - clock: Returns the current time.
    ///   - collectsCoverage: Whether scripts note which of their lines run.
    ///   - recordsProvenance: Whether exchanges keep what stages do to them.
    /// - Throws: The error of a stage that fails to start; the stages before it are stopped.
    package init(
        _ stages: [Topology.Stage],
        wholeBodies: Hooks = .wire,
        log: Log = .none,
        seed: UInt64 = 0,
        clock: @escaping @Sendable () -> Timestamp,
        collectsCoverage: Bool = false,
        recordsProvenance: Bool = false
    ) throws {
        self.stages = stages
        self.wholeBodies = wholeBodies
        selected = Array(repeating: false, count: stages.count)
        lane = try PipelineLane(
            Topology(
                sources: [],
                stages: stages,
                sinks: [],
                recordsProvenance: recordsProvenance
            ),
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
            fanOut: FanOut(isLive: false),
            board: LaneCounters()
        )
    }

    /// Passes an exchange through all hooks; delays that stages ask for are skipped.
    package func run(_ exchange: consuming Exchange) -> StageRunOutcome {
        var context = ExchangeContext()
        let before = lane.stageCounters
        let wire = lane.passWire(&exchange, &context, wholeBodies: wholeBodies)
        let request = exchange.request
        let response = wire.isAborted ? nil : exchange.response
        for position in stages.indices where context.hasSelected(position) {
            selected[position] = true
        }
        let disposition = disposition(of: lane.settle(consume exchange, consume context))
        noteRecordHooks(since: before)
        let errors = lane.stageCounters.reduce(0) { $0 + $1.errors + $1.hookErrors }
        return StageRunOutcome(
            request: request,
            response: response,
            isAnswered: wire.isAnswered,
            isAborted: wire.isAborted,
            delay: wire.delay,
            errors: errors - before.reduce(0) { $0 + $1.errors + $1.hookErrors },
            disposition: disposition
        )
    }

    /// Stops the stages; `run` must not be called afterwards.
    package func stop() { lane.close() }

    /// The ids of stages whose `when` has matched no exchange so far.
    package var neverSelected: [String] {
        zip(stages, selected).filter { $0.condition != nil && !$1 }.map(\.0.id)
    }

    /// The ids of stages whose `when` has matched an exchange.
    package var selectedStages: [String] {
        zip(stages, selected).filter { $0.condition != nil && $1 }.map(\.0.id)
    }

    /// The stages' own metrics, with the id and the hooks of each stage.
    package var metrics: [(stage: String, hooks: Hooks, metrics: [Metric])] {
        stages.map { ($0.id, $0.factory.hooks, $0.factory.metrics) }
    }

    /// The lines of scripts that have run.
    package var coverage: [ScriptCoverage] { stages.flatMap(\.factory.coverage) }

    private func disposition(of outcome: RecordChain.Outcome?) -> StageRunOutcome.Disposition {
        switch outcome {
        case .sealed(let record): .kept(record.exchange)
        case .dropped(let position, let reason): .dropped(by: stages[position].id, reason: reason)
        case .failed(let position, let error): .failed(at: stages[position].id, "\(error)")
        // Only a source's `when` excludes exchanges, and this lane has none.
        case nil: .dropped(by: "", reason: "")
        }
    }

    /// Marks stages without wire hooks as selected: they evaluate `when` at their record hook,
    /// which counts skipped exchanges.
    private func noteRecordHooks(since before: [StageCounters]) {
        for (position, (old, new)) in zip(before, lane.stageCounters).enumerated()
        where stages[position].factory.hooks.contains(.record) {
            let arrived = new.received - old.received
            if arrived > new.skipped - old.skipped { selected[position] = true }
        }
    }
}

/// The outcome of an exchange that was passed through stages.
package struct StageRunOutcome: Sendable {
    /// The outcome of the exchange's record.
    package enum Disposition: Sendable {
        /// Sinks get this exchange.
        case kept(Exchange)
        /// A stage dropped it.
        case dropped(by: String, reason: String)
        /// A record hook failed, so the exchange was dropped.
        case failed(at: String, String)
    }

    /// The request as the server gets it; if a stage answered or closed the connection, the request
    /// at that time.
    package let request: Request
    /// The response as the client gets it; `nil` if there is none.
    package let response: Response?
    /// Whether a stage answered instead of the server.
    package let isAnswered: Bool
    /// Whether a stage closed the connection.
    package let isAborted: Bool
    /// The total delay that stages asked for.
    package let delay: Microseconds
    /// The number of failed hooks.
    package let errors: Int
    /// The outcome of the exchange's record.
    package let disposition: Disposition
}

extension ExchangeContext {
    /// Whether a stage's `when` has been evaluated and matches.
    fileprivate func hasSelected(_ stage: Int) -> Bool {
        decided.contains(stage) && selected.contains(stage)
    }
}
