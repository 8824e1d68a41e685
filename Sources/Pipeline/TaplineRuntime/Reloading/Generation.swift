// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// One configuration of a running pipeline: a whole topology, with its sinks.
///
/// **Isolation**: any thread.
final class Generation: Sendable {
    /// The number, from 1.
    let number: Int
    let topology: Topology
    /// The sinks, in the order of the file; unchanged ones are those of the former generation.
    let sinks: [SinkRunner]
    let shared: LaneShared
    /// The number of the generation that started, changed, moved or removed a component last, by
    /// id; 1 for all others.
    let changes: [String: Int]

    init(
        _ number: Int,
        _ topology: Topology,
        _ sinks: [SinkRunner],
        _ shared: LaneShared,
        changes: [String: Int] = [:]
    ) {
        self.number = number
        self.topology = topology
        self.sinks = sinks
        self.shared = shared
        self.changes = changes
    }

    /// Creates a source's lane with the stages of this generation.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - number: The number of the lane within the source.
    ///   - fanOut: Hands over the records of the source.
    ///   - board: Receives the counters.
    ///   - former: The stages of the lane's former generation.
    /// - Returns: The lane, whose stages have started.
    /// - Throws: The error of a stage that does not start.
    func makeLane(
        of source: Topology.Source,
        _ number: Int,
        _ fanOut: FanOut,
        _ board: LaneCounters,
        reusing former: [LaneStage] = []
    ) throws -> PipelineLane {
        try PipelineLane(
            topology,
            captures: source.condition,
            sampling: source.sampling,
            isLive: source.isLive,
            number: number,
            shared: shared,
            fanOut: fanOut,
            board: board,
            generation: UInt32(truncatingIfNeeded: self.number),
            reusing: former
        )
    }
}
