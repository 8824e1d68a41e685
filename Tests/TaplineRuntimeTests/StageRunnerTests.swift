// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTesting
import Testing

private let noon = Timestamp(microseconds: 1_000_000)

/// A trial of stages; the id of each stage is its position.
private func trial(_ stages: [ScriptedStage], when: [Int: String] = [:]) throws -> StageRunner {
    try StageRunner(
        stages.enumerated().map { number, stage in
            Topology.Stage(id: "\(number)", stage, when: try when[number].map { try Filter($0) })
        },
        clock: { noon }
    )
}

private struct Refusal: Error, CustomStringConvertible {
    let description = "no"
}

extension StageRunOutcome {
    /// The record, if there is one.
    fileprivate var record: Exchange? {
        if case .kept(let exchange) = disposition { exchange } else { nil }
    }
}

@Suite("A trial of stages")
struct StageRunnerTests {
    @Test("returns what the server, the client and sinks get")
    func planes() throws {
        let stage = ScriptedStage(
            request: { exchange, _ in
                #expect(exchange.response == nil)
                exchange.request.method = "PUT"
                return .proceed
            },
            response: { exchange, _ in
                exchange.response?.status = 202
                return .delay(Microseconds(5))
            },
            record: { exchange, _ in
                exchange.request.method = "REDACTED"
                exchange.response?.status = 299
                return .keep
            }
        )
        let outcome = try trial([stage]).run(.example())
        #expect(outcome.request.method == "PUT")
        #expect(outcome.response?.status == 202)
        #expect(outcome.record?.request.method == "REDACTED")
        #expect(outcome.record?.response?.status == 299)
        #expect(outcome.record?.original.method == "GET")
        #expect(outcome.record?.original.status == 200)
        #expect(outcome.delay == Microseconds(5))
        #expect(!outcome.isAnswered && !outcome.isAborted && outcome.errors == 0)
    }

    @Test("delays an exchange by at most a day, whatever several stages ask for")
    func longDelays() throws {
        let stage = ScriptedStage(request: { _, _ in .delay(Microseconds(.max)) })
        let outcome = try trial([stage, stage, stage]).run(.example())
        #expect(outcome.delay == Microseconds(86_400_000_000))
    }

    @Test("returns which stage dropped a record, and why")
    func drops() throws {
        let pass = ScriptedStage(record: { _, _ in .keep })
        let onWire = ScriptedStage(request: { _, _ in .drop(reason: "wire") })
        let atEnd = ScriptedStage(record: { _, _ in .drop(reason: "end") })
        for (stages, id, why) in [
            ([pass, onWire, atEnd], "1", "wire"), ([atEnd, onWire], "0", "end"),
        ] {
            let outcome = try trial(stages).run(.example())
            guard case .dropped(let by, let reason) = outcome.disposition else {
                Issue.record("kept")
                continue
            }
            #expect(by == id && reason == why)
            #expect(outcome.response?.status == 200)
        }
    }

    @Test("reports answers, closed connections and failures")
    func verdicts() throws {
        let answer = ScriptedStage(request: { _, _ in .respond(Response(status: 418)) })
        let answered = try trial([answer]).run(.example())
        #expect(answered.isAnswered && answered.response?.status == 418)
        let abort = ScriptedStage(request: { _, _ in .abort })
        let aborted = try trial([abort]).run(.example())
        #expect(aborted.isAborted && aborted.response == nil)
        #expect(aborted.record?.state == .cancelled)
        let fail = ScriptedStage(
            request: { _, _ in throw Refusal() },
            record: { _, _ in throw Refusal() }
        )
        let running = try trial([fail])
        for _ in 0..<2 {
            let failed = running.run(.example())
            #expect(failed.errors == 2)
            guard case .failed(let stage, let message) = failed.disposition else {
                Issue.record("it did not fail")
                continue
            }
            #expect(stage == "0" && message == "no")
        }
    }

    @Test("reports the stages whose 'when' has matched, on the wire or on the record")
    func conditions() throws {
        let wire = ScriptedStage(request: { _, _ in .proceed })
        let record = ScriptedStage(record: { _, _ in .keep })
        let running = try trial(
            [wire, record, wire, record],
            when: [
                0: "method == \"GET\"", 1: "status == 200", 2: "status == 200", 3: "status == 500",
            ]
        )
        #expect(running.neverSelected == ["0", "1", "2", "3"])
        _ = running.run(.example())
        #expect(running.selectedStages == ["0", "1"])
        #expect(running.neverSelected == ["2", "3"])
        _ = running.run(.example(status: 500))
        #expect(running.neverSelected == ["2"])
    }

    @Test("gives stages its clock, and stops the stages that it started")
    func life() throws {
        let calls = Mutex<[String]>([])
        struct Factory: StageFactory {
            let hooks: Hooks = .record
            let note: @Sendable (String) -> Void
            func makeStage(_ context: StageContext) throws -> any Stage {
                note("\(context.clock().microseconds) \(context.seed) \(context.collectsCoverage)")
                return Noted(note)
            }
            final class Noted: RecordStage {
                let note: @Sendable (String) -> Void
                init(_ note: @escaping @Sendable (String) -> Void) { self.note = note }
                func start() { note("start") }
                func stop() { note("stop") }
                func record(_: inout Exchange, _: inout ExchangeContext) -> RecordVerdict { .keep }
            }
        }
        let stage = Topology.Stage(
            id: "a",
            Factory { text in calls.withLock { $0.append(text) } }
        )
        let running = try StageRunner([stage], seed: 7, clock: { noon }, collectsCoverage: true)
        _ = running.run(.example())
        running.stop()
        #expect(calls.withLock { $0 } == ["1000000 7 true", "start", "stop"])
    }
}

/// Plugins whose sources and sinks cannot be built.
private let registry = PluginRegistry(
    sources: [
        SourcePlugin(name: "gone", summary: "Never.", options: OptionSchema()) { _, context in
            context.diagnostics.error(at: context.location, "its file is not there")
            return nil
        }
    ],
    stages: [
        StagePlugin(name: "pass", summary: "Passes.", options: OptionSchema()) { _, _ in
            ScriptedStage(record: { _, _ in .keep })
        },
        StagePlugin(name: "refuse", summary: "Refuses.", options: OptionSchema()) { _, context in
            context.diagnostics.error(at: context.location, "it cannot be built")
            return nil
        },
    ],
    sinks: [
        SinkPlugin(name: "full", summary: "Never.", options: OptionSchema()) { _, context in
            context.diagnostics.error(at: context.location, "its disk is full")
            return nil
        }
    ]
)

@Suite("Stages without a pipeline")
struct StagesAloneTests {
    private func stages(_ list: String, only: [String]? = nil) -> ([String]?, String) {
        var diagnostics = Diagnostics()
        let text = "version: 1\nsources: [gone]\nstages: \(list)\nsinks: [full]\n"
        let root = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
        let stages = root.flatMap {
            TopologyBuilder(registry: registry).stages(
                $0,
                only: only?.map { Located($0) },
                into: &diagnostics
            )
        }
        return (
            stages.map { $0.stages.map { "\($0.factory.hooks.rawValue)" } }, diagnostics.rendered
        )
    }

    @Test("are built without sources and sinks")
    func alone() {
        #expect(stages("[pass, pass]").0 == ["4", "4"])
        #expect(stages("[]").0 == [])
    }

    @Test("can be built in part, so that the others may be invalid")
    func part() {
        #expect(stages("[pass, refuse]").0 == nil)
        #expect(stages("[pass, refuse]").1.contains("p.yaml:3:16: error: it cannot be built"))
        #expect(stages("[pass, refuse]", only: ["pass"]).0 == ["4"])
        #expect(stages("[pass]", only: ["pas"]).1.contains("help: did you mean 'pass'?"))
    }
}
