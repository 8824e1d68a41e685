// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

/// A stage that removes one word from the log.
private struct Cleaning: StageFactory {
    let word: String
    var hooks: Hooks { .record }

    func cleaned(logText: String) -> String { logText.replacing(word, with: "…") }

    func makeStage(_ context: StageContext) throws -> any Stage {
        context.log.info("made with \(word)")
        return Nothing()
    }

    private final class Nothing: RecordStage {
        func record(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> RecordVerdict {
            .keep
        }
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description = "no disk for s3cret and t0ken"
}

/// A sink that cannot be opened.
private struct BrokenSink: SinkFactory {
    func open(_ context: SinkContext) throws -> any Sink { throw Failure() }
}

@Suite("The log of a pipeline")
struct CleanedLogTests {
    @Test("is cleaned by all stages, whichever component logs")
    func isCleaned() async {
        let lines = Mutex<[String]>([])
        let log = Log(component: "") { entry in
            lines.withLock { $0.append("\(entry.component): \(entry.message)") }
        }
        let stages = [
            Topology.Stage(id: "one", Cleaning(word: "s3cret")),
            Topology.Stage(id: "two", Cleaning(word: "t0ken")),
        ]
        _ = await run(
            ScriptedSource(Exchange.examples(3)),
            stages,
            [Topology.Sink(id: "a", RecordingSink())],
            log: log
        )
        let report = await run(
            ScriptedSource(Exchange.examples(3)),
            stages,
            [Topology.Sink(id: "disk", BrokenSink())],
            log: log
        )
        let all = lines.withLock { $0 } + report.failures
        #expect(all.contains("one: made with …"))
        #expect(all.contains { $0.hasPrefix("disk: ") && $0.contains("no disk for … and …") })
        #expect(report.failures.contains { $0.contains("no disk for … and …") })
        #expect(!all.contains { $0.contains("s3cret") || $0.contains("t0ken") })
    }
}
