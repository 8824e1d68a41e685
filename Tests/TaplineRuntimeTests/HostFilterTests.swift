// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@testable import TaplineRuntime

/// A stage that finds one word as detectors find a secret, and counts its calls.
private final class Detecting: StageFactory {
    let asked = Mutex(0)
    var hooks: Hooks { .record }

    func cleaned(logText: String) -> String {
        asked.withLock { $0 += 1 }
        return logText.replacing("hunter2", with: "…")
    }

    func makeStage(_ context: StageContext) -> any Stage { Nothing() }

    private final class Nothing: RecordStage {
        func record(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> RecordVerdict {
            .keep
        }
    }
}

@Suite("The hosts that sinks see before a record is sealed")
struct HostFilterTests {
    private func opened(_ authorities: [ByteString], _ stages: [Topology.Stage]) async -> [String] {
        let exchanges = authorities.enumerated().map { number, authority in
            var exchange = Exchange.example(number)
            exchange.request.authority = authority
            return exchange
        }
        let sink = RecordingSink(wantsActive: true)
        let topology = Topology(
            sources: [Topology.Source(id: "live", ScriptedSource(exchanges, isLive: true))],
            stages: stages,
            sinks: [Topology.Sink(id: "a", sink)]
        )
        _ = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
        #expect(sink.log.exchanges.count == authorities.count)
        return sink.log.opened.map { "\($0.host) \($0.port.map { "\($0)" } ?? "-")" }
    }

    @Test("are those in which no stage finds a secret")
    func secretsAreWithheld() async {
        let stages = [Topology.Stage(id: "redact", Detecting())]
        #expect(
            await opened(["shop.test:81", "a.hunter2.test:82", "b.test:83"], stages)
                == ["shop.test 81", " -", "b.test 83"]
        )
    }

    @Test("are checked once")
    func answersAreKept() {
        let stage = Detecting()
        var filter = HostFilter([Topology.Stage(id: "redact", stage)])
        var answers = (0..<10).flatMap { _ in
            ["shop.test", "hunter2.test"].map { filter.passes($0) }
        }
        #expect(answers == (0..<10).flatMap { _ in [true, false] })
        #expect(stage.asked.withLock { $0 } == 2)
        answers = (0..<3 * HostFilter.capacity).map { filter.passes(ByteString("h\($0).test")) }
        #expect(!answers.contains(false))
        let isPassed = filter.passes("hunter2.test")
        #expect(!isPassed)
        #expect(stage.asked.withLock { $0 } == 3 + 3 * HostFilter.capacity)
    }

    @Test("are all hosts of a plain form if there is no stage")
    func withoutStages() async {
        #expect(
            await opened(["shop.test:81", "hunter2.test:82"], [])
                == ["shop.test 81", "hunter2.test 82"]
        )
    }
}
