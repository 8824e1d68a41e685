// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTesting
import Testing

/// A source that queries its lane as a live source does, and keeps the results.
private final class AskingSource: Source {
    struct Answers: Equatable {
        var request = 0
        var response = 0
        var captureMaxBytes = 0
        var drainTimeout = Microseconds(0)
        var holds: [Bool] = []
        var wantsOpened = false
    }

    let exchange: Exchange
    let holds: [Int]
    let answers = Mutex(Answers())

    init(_ exchange: Exchange = .example(), holds: [Int] = []) {
        self.exchange = exchange
        self.holds = holds
    }

    func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        var context = ExchangeContext()
        var answers = Answers(
            request: lane.wantedBody(of: .request, exchange, &context),
            response: lane.wantedBody(of: .response, exchange, &context),
            captureMaxBytes: intake.captureMaxBytes,
            drainTimeout: intake.drainTimeout
        )
        answers.wantsOpened = lane.wantsOpened
        for count in holds { answers.holds.append(lane.hold(count)) }
        for (count, isHeld) in zip(holds, answers.holds) where isHeld { lane.release(count) }
        if !holds.isEmpty { answers.holds.append(lane.hold(1)) }
        self.answers.withLock { $0 = answers }
        lane.close()
    }
}

private func stage(
    _ hooks: Hooks,
    maxBytes: Int,
    when condition: String? = nil,
    id: String = "s"
) throws -> Topology.Stage {
    let stage = ScriptedStage(
        request: { _, _ in .proceed },
        response: { _, _ in .proceed }
    )
    return Topology.Stage(
        id: id,
        stage,
        when: try condition.map { try Filter($0) },
        buffer: BodyBuffer(hooks, maxBytes: maxBytes)
    )
}

private func answers(
    of source: AskingSource,
    stages: [Topology.Stage] = [],
    memory: Int = 1 << 20
) async -> AskingSource.Answers {
    let topology = Topology(
        sources: [Topology.Source(id: "live", source, captureMaxBytes: 4096)],
        stages: stages,
        sinks: [Topology.Sink(id: "a", RecordingSink())],
        memory: memory,
        drainTimeout: Microseconds(8)
    )
    _ = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
    return source.answers.withLock { $0 }
}

/// A stage that reads the bodies of requests with a method, in either hook.
private struct ReadingFactory: BodyReadingFactory {
    let method: ByteString
    var hooks: Hooks { [.request, .response] }
    var bodyReadingHooks: Hooks { [.request, .response] }

    func makeStage(_ context: StageContext) throws -> any Stage { Reading(method) }

    private final class Reading: BodyReadingStage {
        private let method: ByteString

        init(_ method: ByteString) { self.method = method }

        func needsBody(
            of hook: Hooks,
            _ exchange: borrowing Exchange,
            _ context: borrowing ExchangeContext,
            mayChange: Bool
        ) -> Bool { mayChange || exchange.request.method == method }
    }
}

@Suite("A live source")
struct LiveSourceTests {
    @Test("gets its limits for bodies and for draining")
    func settings() async {
        let answers = await answers(of: AskingSource())
        #expect(answers.captureMaxBytes == 4096)
        #expect(answers.drainTimeout == Microseconds(6))
    }

    @Test(
        "reports new exchanges only if a sink or its own 'when' needs them",
        arguments: [(false, nil, false), (true, nil, true), (false, "status > 0", true)]
            as [(Bool, String?, Bool)]
    )
    func opened(wantsActive: Bool, condition: String?, expected: Bool) async throws {
        let source = AskingSource()
        let captures = try condition.map { try Filter($0) }
        let topology = Topology(
            sources: [Topology.Source(id: "live", source, when: captures)],
            stages: [],
            sinks: [Topology.Sink(id: "a", RecordingSink(wantsActive: wantsActive))]
        )
        _ = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
        #expect(source.answers.withLock { $0.wantsOpened } == expected)
    }

    @Test("buffers up to the largest size that any stage sets")
    func largest() async throws {
        let stages = [
            try stage(.request, maxBytes: 10, id: "a"),
            try stage(.wire, maxBytes: 30, id: "b"),
            try stage([], maxBytes: 99, id: "c"),
        ]
        let answers = await answers(of: AskingSource(), stages: stages)
        #expect(answers.request == 30)
        #expect(answers.response == 30)
    }

    @Test("buffers nothing if no stage asks for bodies")
    func noStageBuffers() async throws {
        let answers = await answers(of: AskingSource(), stages: [try stage([], maxBytes: 10)])
        #expect(answers.request == 0)
        #expect(answers.response == 0)
    }

    @Test(
        "buffers bodies that a stage decides to read, up to its limit",
        arguments: [("GET", false, 7), ("BREW", false, 0), ("BREW", true, 7)]
            as [(ByteString, Bool, Int)]
    )
    func reading(method: ByteString, isLater: Bool, expected: Int) async throws {
        let reading = Topology.Stage(
            id: "r",
            ReadingFactory(method: method),
            buffer: BodyBuffer([], maxBytes: 7)
        )
        let earlier = isLater ? [try stage([], maxBytes: 99, id: "a")] : []
        let answers = await answers(of: AskingSource(), stages: earlier + [reading])
        #expect(answers.request == expected)
        #expect(answers.response == expected)
    }

    @Test("buffers nothing if the stage's condition does not match")
    func condition() async throws {
        let stages = [try stage(.wire, maxBytes: 10, when: "method == \"BREW\"")]
        #expect(await answers(of: AskingSource(), stages: stages).request == 0)
    }

    @Test("buffers if an earlier stage may make the condition match")
    func laterCondition() async throws {
        let stages = [
            try stage([], maxBytes: 0, id: "a"),
            try stage(.wire, maxBytes: 10, when: "method == \"BREW\"", id: "b"),
        ]
        #expect(await answers(of: AskingSource(), stages: stages).request == 10)
    }

    @Test("notifies sinks of new exchanges, except those that its 'when' excludes")
    func leftOut() async throws {
        for (condition, expected) in [("path like \"*7\"", 2), ("path like \"*\"", 20)] {
            let sink = RecordingSink(wantsActive: true)
            let source = Topology.Source(
                id: "live",
                ScriptedSource(Exchange.examples(20), isLive: true),
                when: try Filter(condition)
            )
            let topology = Topology(sources: [source], sinks: [Topology.Sink(id: "a", sink)])
            _ = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
            #expect(sink.log.opened.count == expected)
            #expect(Set(sink.log.opened.map(\.id)) == Set(sink.log.exchanges.map(\.id)))
        }
    }

    @Test("keeps bodies until the memory is used up, and again once some is released")
    func memory() async {
        let answers = await answers(of: AskingSource(holds: [600, 600, 600]), memory: 1000)
        #expect(answers.holds == [true, true, false, true])
    }
}
