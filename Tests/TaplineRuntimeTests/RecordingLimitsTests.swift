// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@testable import TaplineRuntime

/// A number that hooks count up.
final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.wrappingAdd(1, ordering: .relaxed) }
}

@Suite("Limits of recording")
struct RecordingLimitsTests {
    private func lane(
        _ limits: RecordingLimits,
        _ board: LaneCounters,
        isLive: Bool = true
    ) throws -> PipelineLane {
        try PipelineLane(
            Topology(sources: [], stages: [], sinks: []),
            captures: nil,
            isLive: isLive,
            number: 0,
            shared: LaneShared(
                log: .none,
                budget: MemoryBudget(limit: .max),
                limits: limits,
                sinks: [],
                seed: 0,
                now: { Timestamp(microseconds: 0) }
            ),
            fanOut: FanOut(isLive: isLive),
            board: board
        )
    }

    private func exchange(_ number: Int) -> Exchange {
        Exchange(id: ExchangeID(high: 0x7000, low: UInt64(number)))
    }

    private func counters(_ board: LaneCounters) -> SourceCounters {
        var (source, stages): (SourceCounters, [StageCounters]) = (SourceCounters(), [])
        board.add(to: &source, &stages)
        return source
    }

    @Test("let no more exchanges be recorded at a time, and free a place at each end")
    func inFlight() throws {
        let board = LaneCounters()
        let lane = try lane(RecordingLimits(maxInFlight: 2), board)
        #expect(lane.wantsOpened)
        var contexts = [ExchangeContext(), ExchangeContext(), ExchangeContext()]
        for index in contexts.indices { lane.opened(exchange(index), &contexts[index]) }
        #expect(contexts.map(\.isRecorded) == [true, true, false])
        #expect(lane.finish(exchange(0), contexts[0]))
        lane.abandoned(exchange(1), contexts[1])
        #expect(!lane.finish(exchange(2), contexts[2]))
        contexts = [ExchangeContext(), ExchangeContext(), ExchangeContext()]
        for index in contexts.indices { lane.opened(exchange(index), &contexts[index]) }
        #expect(contexts.map(\.isRecorded) == [true, true, false])
        for index in contexts.indices { _ = lane.finish(exchange(index), contexts[index]) }
        lane.close()
        let counters = counters(board)
        #expect(counters.received == 5 && counters.sent == 3 && counters.overLimit == 2)
    }

    @Test("shed exchanges of live sources, but none that have begun or are recordings")
    func shedding() throws {
        let limits = RecordingLimits()
        let board = LaneCounters()
        let live = try lane(limits, board)
        #expect(!live.wantsOpened)
        let begun = ExchangeContext()
        limits.shed(SheddingState(kept: 1 << 14, cause: .memory))
        #expect(live.wantsOpened)
        #expect(live.finish(exchange(0), begun))
        var recorded = 1
        for number in 1...1000 {
            var context = ExchangeContext()
            live.opened(exchange(number), &context)
            if live.finish(exchange(number), context) { recorded += 1 }
        }
        _ = live.submit(ticket: nil) {}
        #expect(counters(board).shedMemory == 1001 - recorded)
        live.close()
        let counters = counters(board)
        #expect((180...320).contains(recorded))
        #expect(counters.sent == recorded && counters.shedMemory == 1001 - recorded)
        #expect(limits.shedCount == counters.shedMemory)
        let recording = try lane(limits, LaneCounters(), isLive: false)
        #expect((0..<100).allSatisfy { recording.finish(exchange($0), ExchangeContext()) })
        recording.close()
    }
}
