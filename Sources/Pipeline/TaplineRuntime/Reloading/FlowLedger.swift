// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin
internal import TaplineStatistics

/// Counts what passes each generation, so that the totals of a run balance although its components
/// change.
///
/// Ended generations are folded into totals by component, so the size does not grow with reloads.
///
/// **Isolation**: any thread.
final class FlowLedger: Sendable {
    /// The lanes of a generation.
    private struct Flow {
        let generation: Generation
        var boards: [(source: String, board: LaneCounters)] = []
    }

    /// The counts of all generations.
    struct Totals {
        var sources: [String: SourceCounters] = [:]
        /// The durations of the exchanges of each source.
        var durations: [String: Distribution] = [:]
        var stages: [String: StageCounters] = [:]
        /// Since when records have been waiting for the verdict of each stage.
        var waits: [String: Int64] = [:]
        /// What each sink must have received.
        var passed: [ObjectIdentifier: Int] = [:]
        /// Whether each stage received what the one before it sent.
        var isConnected = true
    }

    private struct State {
        var flows: [Int: Flow] = [:]
        var folded = Totals()
    }

    private let state = Mutex(State())

    /// Adds a lane.
    func add(_ board: LaneCounters, of source: String, in generation: Generation) {
        state.withLock { state in
            state.flows[generation.number, default: Flow(generation: generation)]
                .boards.append((source, board))
        }
    }

    /// Adds what a source has counted outside its lanes, after it has ended.
    func add(_ counters: SourceCounters, of source: String) {
        state.withLock { $0.folded.sources[source, default: SourceCounters()] += counters }
    }

    /// The counts so far.
    var totals: Totals {
        state.withLock { state in
            var totals = state.folded
            for flow in state.flows.values { Self.add(flow, to: &totals) }
            return totals
        }
    }

    /// Whether exchanges are under way whose records a sink gets.
    func isBusy(_ sink: SinkRunner) -> Bool {
        state.withLock { state in
            state.flows.values.contains { flow in
                flow.generation.sinks.contains { $0 === sink }
                    && flow.boards.contains { !$0.board.isIdle }
            }
        }
    }

    /// Adds generations whose lanes have all ended to the totals.
    func fold(except current: Int) {
        state.withLock { state in
            for (number, flow) in state.flows where number != current {
                guard flow.boards.allSatisfy(\.board.isFinal) else { continue }
                Self.add(flow, to: &state.folded)
                state.flows[number] = nil
            }
        }
    }

    /// Adds the difference of what a sink has received and what it should have, and forgets the
    /// sink.
    ///
    /// - Returns: Whether the sink was forgotten; not while lanes may still count for it.
    func forget(_ sink: SinkRunner, received: Int) -> Bool {
        state.withLock { state in
            let isUsed = state.flows.values.contains { flow in
                flow.generation.sinks.contains { $0 === sink }
            }
            if isUsed { return false }
            let passed = state.folded.passed.removeValue(forKey: ObjectIdentifier(sink)) ?? 0
            if passed != received { state.folded.isConnected = false }
            return true
        }
    }

    private static func add(_ flow: Flow, to totals: inout Totals) {
        let ids = flow.generation.topology.stages.map(\.id)
        var stages = Array(repeating: StageCounters(), count: ids.count)
        var sent = 0
        for (id, board) in flow.boards {
            var source = SourceCounters()
            board.add(to: &source, &stages)
            sent += source.sent
            totals.sources[id, default: SourceCounters()] += source
            let durations = totals.durations[id] ?? Distribution()
            totals.durations[id] = durations + board.durations.distribution
            if let wait = board.wait, wait.stage < ids.count {
                let stage = ids[wait.stage]
                totals.waits[stage] = min(totals.waits[stage] ?? wait.since, wait.since)
            }
        }
        for (id, counters) in zip(ids, stages) {
            totals.stages[id, default: StageCounters()] += counters
            if counters.received != sent { totals.isConnected = false }
            sent = counters.sent
        }
        for sink in flow.generation.sinks {
            totals.passed[ObjectIdentifier(sink), default: 0] += sent
        }
    }
}
