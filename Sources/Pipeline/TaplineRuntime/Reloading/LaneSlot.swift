// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// Where a reload leaves the stages of the next generation for a lane.
///
/// **Isolation**: any thread.
final class LaneSlot: Sendable {
    /// A lane that belongs to one thread at a time: that of the reload until the slot has it, then
    /// that of the source.
    struct Prepared: @unchecked Sendable {
        let lane: PipelineLane
    }

    /// Stages, which only the lane's thread calls.
    private struct Stages: @unchecked Sendable {
        var all: [LaneStage]
    }

    private struct State {
        var next: Prepared?
        /// The stages of the lane that was prepared last, which the next one shares if they are
        /// unchanged.
        var stages: Stages
        var isClosed = false
    }

    /// The number of the lane within its source.
    let number: Int
    private let state: Mutex<State>
    private let isNext = Atomic<Bool>(false)

    init(number: Int, _ first: PipelineLane) {
        self.number = number
        state = Mutex(State(stages: Stages(all: first.stages)))
    }

    /// Whether the lane should take the next generation; checked for each exchange.
    @inline(__always)
    var hasNext: Bool { isNext.load(ordering: .relaxed) }

    /// Whether the source has closed the lane.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Makes a lane for a generation, which shares the stages that are unchanged.
    func prepare(_ make: ([LaneStage]) throws -> PipelineLane) rethrows -> Prepared {
        let stages = state.withLock { $0.stages }
        return Prepared(lane: try make(stages.all))
    }

    /// Leaves a lane for the source's thread; one that it has not taken yet is replaced.
    func offer(_ prepared: Prepared) {
        let stages = Stages(all: prepared.lane.stages)
        let unused = state.withLock { state in
            guard !state.isClosed else { return Optional(prepared) }
            let former = state.next
            state.next = prepared
            state.stages = stages
            isNext.store(true, ordering: .relaxed)
            return former
        }
        unused?.lane.close()
    }

    /// Takes the lane of the newest generation; `nil` if there is none.
    func take() -> PipelineLane? {
        state.withLock { state in
            isNext.store(false, ordering: .relaxed)
            return state.next.take()
        }?.lane
    }

    /// Accepts no further lanes, since the source has closed its own.
    func close() {
        let unused = state.withLock { state in
            state.isClosed = true
            state.stages = Stages(all: [])
            isNext.store(false, ordering: .relaxed)
            return state.next.take()
        }
        unused?.lane.close()
    }
}
