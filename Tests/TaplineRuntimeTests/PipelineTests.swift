// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTesting
import Testing

/// Runs a pipeline of these components to its end.
func run(
    _ source: ScriptedSource,
    _ stages: [Topology.Stage] = [],
    _ sinks: [Topology.Sink],
    memory: Int = 1 << 30,
    log: Log = .none
) async -> RunReport {
    let topology = Topology(
        sources: [Topology.Source(id: "scripted", source)],
        stages: stages,
        sinks: sinks,
        memory: memory
    )
    let report = await Pipeline(topology, log: log) { Timestamp(microseconds: 0) }.run()
    #expect(report.isBalanced, "\(report)")
    return report
}

private struct Broken: Error, CustomStringConvertible {
    let description = "it is broken"
}

@Suite("A pipeline")
struct PipelineTests {
    @Test("hands all exchanges to all sinks, in order")
    func fansOut() async {
        let first = RecordingSink()
        let second = RecordingSink(batchLimit: 7)
        let report = await run(
            ScriptedSource(Exchange.examples(1000), batch: 13),
            [],
            [Topology.Sink(id: "a", first), Topology.Sink(id: "b", second)]
        )
        let expected = (0..<1000).map { ByteString("/items/\($0)") }
        #expect(first.log.exchanges.map(\.request.target) == expected)
        #expect(second.log.exchanges.map(\.request.target) == expected)
        #expect(first.log.exchanges.allSatisfy { $0.source == "scripted" })
        #expect(second.log.batches.allSatisfy { $0 <= 13 })
        #expect(report.isSuccess)
        #expect(report.exchanges == 1000)
        #expect(first.log.calls.first == "open")
        #expect(first.log.calls.last == "close")
    }

    @Test("runs wire hooks from top to bottom and keeps the values that they replaced")
    func wireHooks() async {
        let order = Mutex<[String]>([])
        func stage(_ name: String) -> Topology.Stage {
            Topology.Stage(
                id: name,
                ScriptedStage(
                    request: { exchange, _ in
                        order.withLock { $0.append("\(name) request") }
                        #expect(exchange.response == nil)
                        exchange.request.target = ByteString("/\(name)")
                        return .proceed
                    },
                    response: { exchange, _ in
                        order.withLock { $0.append("\(name) response") }
                        exchange.response?.status = 418
                        return .proceed
                    },
                    record: { exchange, _ in
                        order.withLock { $0.append("\(name) record") }
                        exchange.tags["seen"] = name
                        return .keep
                    }
                )
            )
        }
        let sink = RecordingSink()
        _ = await run(
            ScriptedSource([.example()]),
            [stage("one"), stage("two")],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(
            order.withLock { $0 } == [
                "one request", "two request", "one response", "two response", "one record",
                "two record",
            ]
        )
        let exchange = sink.log.exchanges.first
        #expect(exchange?.original.url == "http://shop.test/items/0")
        #expect(exchange?.original.status == 200)
        #expect(exchange?.original.method == nil)
        #expect(exchange?.tags["seen"] == "two")
    }

    @Test("answers instead of the server and runs all response hooks over the answer")
    func respond() async {
        let sink = RecordingSink()
        _ = await run(
            ScriptedSource([.example()]),
            [
                Topology.Stage(
                    id: "mock",
                    ScriptedStage(request: { _, _ in .respond(Response(status: 201)) })
                ),
                Topology.Stage(
                    id: "never",
                    ScriptedStage(
                        request: { _, _ in throw Broken() },
                        response: { exchange, _ in
                            exchange.response?.reason = "Mocked"
                            return .proceed
                        }
                    )
                ),
            ],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(sink.log.exchanges.first?.response?.status == 201)
        #expect(sink.log.exchanges.first?.response?.reason == "Mocked")
        #expect(sink.log.exchanges.first?.tags.isEmpty == true)
    }

    @Test(
        "frames a stage's response by its body and the client's method, unless it is recorded",
        arguments: [
            (Verdict.respond(made), "GET", "2"), (.respond(made), "HEAD", "2"),
            (.respond(empty), "GET", "0"), (.respond(empty), "HEAD", "9"),
            (.respond(asRecorded: made), "GET", "9"),
        ]
    )
    func framesAnswers(verdict: Verdict, method: String, length: String) async {
        for inRequest in [true, false] {
            var exchange = Exchange.example()
            exchange.request.method = ByteString(method)
            let sink = RecordingSink()
            let mock = ScriptedStage(
                request: { exchange, _ in
                    exchange.request.method = method == "HEAD" ? "GET" : "HEAD"
                    return inRequest ? verdict : .proceed
                },
                response: { _, _ in inRequest ? .proceed : verdict }
            )
            _ = await run(
                ScriptedSource([exchange]),
                [Topology.Stage(id: "mock", mock)],
                [Topology.Sink(id: "a", sink)]
            )
            let fields = sink.log.exchanges.first?.response?.fields
            #expect(fields?.all("Content-Length") == [ByteString(length)])
        }
    }

    private static let made = Response(fields: ["Content-Length": "9"], body: Body([0x68, 0x69]))
    private static let empty = Response(fields: ["Content-Length": "9"])

    @Test("cancels an aborted exchange and keeps its record")
    func abort() async {
        let sink = RecordingSink()
        _ = await run(
            ScriptedSource([.example()]),
            [Topology.Stage(id: "cut", ScriptedStage(request: { _, _ in .abort }))],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(sink.log.exchanges.first?.state == .cancelled)
        #expect(sink.log.exchanges.first?.error?.code == "aborted")
        #expect(sink.log.exchanges.first?.response == nil)
    }

    @Test("counts exchanges that wire hooks and record hooks drop")
    func drop() async {
        let sink = RecordingSink()
        let report = await run(
            ScriptedSource(Exchange.examples(10)),
            [
                Topology.Stage(
                    id: "wire",
                    ScriptedStage(request: { exchange, _ in
                        exchange.request.target == "/items/3" ? .drop(reason: "three") : .proceed
                    })
                ),
                Topology.Stage(
                    id: "record",
                    ScriptedStage(record: { exchange, _ in
                        exchange.request.target == "/items/4" ? .drop(reason: "four") : .keep
                    })
                ),
            ],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(sink.log.records.count == 8)
        #expect(report.stages.map(\.counters.dropped) == [1, 1])
        #expect(report.stages.map(\.counters.received) == [10, 9])
        #expect(report.isSuccess)
    }

    @Test("drops the record if a record hook throws")
    func recordHookFails() async {
        let sink = RecordingSink()
        let report = await run(
            ScriptedSource(Exchange.examples(5)),
            [
                Topology.Stage(
                    id: "redact",
                    ScriptedStage(
                        redacts: true,
                        record: { exchange, _ in
                            if exchange.request.target == "/items/2" { throw Broken() }
                            return .keep
                        }
                    )
                )
            ],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(sink.log.records.count == 4)
        #expect(report.stages[0].counters.errors == 1)
        #expect(report.isRedacted)
    }

    @Test("applies on_error if a wire hook throws", arguments: OnError.allCases)
    func wireHookFails(onError: OnError) async {
        let sink = RecordingSink()
        let report = await run(
            ScriptedSource([.example()]),
            [
                Topology.Stage(
                    id: "script",
                    ScriptedStage(request: { _, _ in throw Broken() }),
                    onError: onError
                )
            ],
            [Topology.Sink(id: "a", sink)]
        )
        let exchange = sink.log.exchanges.first
        #expect(report.stages[0].counters.hookErrors == 1)
        #expect(report.stages[0].counters.sent == 1)
        #expect(exchange?.tags["tapline.error"] != nil)
        switch onError {
        case .pass: #expect(exchange?.response?.status == 200)
        case .respond:
            #expect(exchange?.response?.status == 502)
            #expect(exchange?.response?.body.bytes == Array("stage 'script' failed\n".utf8))
        case .abort: #expect(exchange?.state == .cancelled)
        }
    }

    @Test("evaluates a stage's 'when' once, before its first hook")
    func whenHolds() async throws {
        let sink = RecordingSink()
        let filter = try Filter("path == \"/items/1\"")
        let report = await run(
            ScriptedSource(Exchange.examples(3)),
            [
                Topology.Stage(
                    id: "rename",
                    ScriptedStage(
                        request: { exchange, _ in
                            exchange.request.target = "/renamed"
                            return .proceed
                        },
                        record: { exchange, _ in
                            exchange.tags["hit"] = "yes"
                            return .keep
                        }
                    ),
                    when: filter
                )
            ],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(sink.log.exchanges.filter { $0.tags["hit"] == "yes" }.count == 1)
        #expect(sink.log.exchanges[1].request.target == "/renamed")
        #expect(report.stages[0].counters.skipped == 2)
    }

    @Test("stores in a sink only records that match its 'when'")
    func sinkWhen() async throws {
        let all = RecordingSink()
        let errors = RecordingSink()
        let exchanges = (0..<10).map { Exchange.example($0, status: $0 == 7 ? 500 : 200) }
        let report = await run(
            ScriptedSource(exchanges),
            [],
            [
                Topology.Sink(id: "all", all),
                Topology.Sink(id: "errors", errors, when: try Filter("status >= 500")),
            ]
        )
        #expect(all.log.records.count == 10)
        #expect(errors.log.records.count == 1)
        #expect(report.sinks[1].counters.filtered == 9)
    }

    @Test("keeps no bodies once the memory is used up, and notes it in a tag")
    func memory() async {
        let gate = DispatchSemaphore(value: 0)
        let sink = RecordingSink(beforeWrite: { gate.wait() })
        async let finished = run(
            ScriptedSource(Exchange.examples(200), batch: 1),
            [],
            [Topology.Sink(id: "a", sink)],
            memory: 20_000
        )
        for _ in 0..<400 { gate.signal() }
        let report = await finished
        let cut = sink.log.exchanges.filter { $0.tags["tapline.memory"] != nil }
        #expect(sink.log.records.count == 200)
        #expect(report.peakMemory > 0)
        for exchange in cut {
            #expect(exchange.response?.body.isTruncated == true)
            #expect(exchange.response?.body.bytes == [])
            #expect(exchange.response?.body.size == 11)
        }
    }

    @Test("notifies interested sinks of exchanges that have begun and ended")
    func active() async {
        let sink = RecordingSink(wantsActive: true)
        _ = await run(
            ScriptedSource(Exchange.examples(20), isLive: true),
            [],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(sink.log.opened.count == 20)
        #expect(sink.log.ended.count == 20)
        #expect(sink.log.opened.first?.host == "shop.test")
    }

    @Test("hides vars from hooks after the last redaction")
    func varsEnd() async {
        let seen = Mutex<[String?]>([])
        let look = ScriptedStage(record: { _, context in
            seen.withLock { $0.append(context.vars["token"]) }
            return .keep
        })
        _ = await run(
            ScriptedSource([.example()]),
            [
                Topology.Stage(
                    id: "set",
                    ScriptedStage(request: { _, context in
                        context.vars["token"] = "secret"
                        return .proceed
                    })
                ),
                Topology.Stage(id: "before", look),
                Topology.Stage(
                    id: "redact",
                    ScriptedStage(redacts: true, record: { _, _ in .keep })
                ),
                Topology.Stage(id: "after", look),
            ],
            [Topology.Sink(id: "a", RecordingSink())]
        )
        #expect(seen.withLock { $0 } == ["secret", nil])
    }

    @Test("does not start with a stage that lacks a declared hook")
    func missingHook() async {
        struct Liar: StageFactory {
            let hooks: Hooks = .record
            let redacts = true
            func makeStage(_ context: StageContext) throws -> any Stage { Idle() }
            final class Idle: Stage {}
        }
        let stopped = Mutex(0)
        struct Watched: StageFactory {
            let hooks: Hooks = []
            let onStop: @Sendable () -> Void
            func makeStage(_ context: StageContext) throws -> any Stage { Made(onStop) }
            final class Made: Stage {
                let onStop: @Sendable () -> Void
                init(_ onStop: @escaping @Sendable () -> Void) { self.onStop = onStop }
                func stop() { onStop() }
            }
        }
        let sink = RecordingSink()
        let report = await run(
            ScriptedSource(Exchange.examples(3)),
            [
                Topology.Stage(id: "first", Watched { stopped.withLock { $0 += 1 } }),
                Topology.Stage(id: "redact", Liar()),
            ],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(!report.isSuccess)
        #expect(report.failures.first?.contains("stage 'redact' did not start") == true)
        #expect(sink.log.records.isEmpty)
        #expect(stopped.withLock { $0 } == 1)
    }
}
