// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineTesting
import Testing

@testable import TaplineRuntime

@Suite("Pauses of a lane") struct PausingTests {
    private struct Failure: Error {}

    /// Whether each call of a record hook was for a copy.
    private final class SeenPreviews: Sendable {
        private let seen = Mutex<[Bool]>([])
        var all: [Bool] { seen.withLock { $0 } }
        func add(_ isPreview: Bool) { seen.withLock { $0.append(isPreview) } }
    }

    private let pause = Pause(
        stage: "s",
        rule: "r",
        timeout: Microseconds(1_000_000),
        limit: 1
    ) { _ in }

    private func lane(
        _ board: PausedExchanges,
        _ stages: [Topology.Stage],
        recordsProvenance: Bool = false
    ) throws -> PipelineLane {
        var topology = Topology(sources: [], stages: stages, sinks: [])
        topology.recordsProvenance = recordsProvenance
        return try PipelineLane(
            topology,
            captures: nil,
            number: 0,
            shared: LaneShared(
                log: .none,
                budget: MemoryBudget(limit: .max),
                sinks: [],
                seed: 0,
                now: { Timestamp(microseconds: 7) },
                paused: board
            ),
            fanOut: FanOut(isLive: false),
            board: LaneCounters()
        )
    }

    private var exchange: Exchange {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        exchange.request = Request(target: "/secret", scheme: "http", authority: "a.test")
        return exchange
    }

    @Test("pass at once through a source that cannot wait, with a tag")
    func passes() throws {
        let pause = pause
        let stage = ScriptedStage(request: { _, _ in .proceed.paused(by: pause) })
        let runner = try StageRunner(
            [Topology.Stage(id: "s", stage)],
            clock: { Timestamp(microseconds: 0) }
        )
        guard case .kept(let kept) = runner.run(exchange).disposition else {
            Issue.record("not kept")
            return
        }
        #expect(kept.tags[Pause.tag] == "passed, since the source cannot wait")
    }

    @Test("show only harmless facts if a record stage fails, and count nothing twice")
    func failsClosed() throws {
        let board = PausedExchanges()
        let attendance = board.attend()
        defer { attendance.leave() }
        let stage = ScriptedStage(record: { _, _ in throw Failure() })
        let lane = try lane(board, [Topology.Stage(id: "s", stage)])
        var exchange = exchange
        let shown = lane.show(pause, &exchange, ExchangeContext()) { _ in }
        #expect(shown === board)
        let entry = try #require(board.all.first)
        #expect(entry.record == nil)
        #expect(entry.active.host == "a.test")
        #expect(entry.at.microseconds == 7)
        #expect(entry.until.microseconds == 1_000_007)
        #expect(lane.stageCounters[0].received == 0)
    }

    @Test("are passed to the record stages as copies, which run again at the end")
    func previews() throws {
        let board = PausedExchanges()
        let attendance = board.attend()
        defer { attendance.leave() }
        let previews = SeenPreviews()
        let stage = ScriptedStage(record: { _, context in
            previews.add(context.isPreview)
            return .keep
        })
        let lane = try lane(board, [Topology.Stage(id: "s", stage)])
        var exchange = exchange
        let context = ExchangeContext()
        #expect(lane.show(pause, &exchange, context) { _ in } === board)
        #expect(previews.all == [true])
        #expect(lane.finish(exchange, context))
        #expect(previews.all == [true, false])
        #expect(lane.stageCounters[0].received == 1)
    }

    @Test("show only harmless facts if a stage that redacts is excluded by its condition")
    func excluded() throws {
        let stage = ScriptedStage(redacts: true, record: { _, _ in .keep })
        for (text, isShown) in [("status == 200", false), ("host == \"a.test\"", true)] {
            let board = PausedExchanges()
            let attendance = board.attend()
            defer { attendance.leave() }
            let condition = try Filter(text)
            let lane = try lane(board, [Topology.Stage(id: "s", stage, when: condition)])
            var exchange = exchange
            #expect(lane.show(pause, &exchange, ExchangeContext()) { _ in } === board)
            let entry = try #require(board.all.first)
            #expect((entry.record != nil) == isShown, "\(text)")
            #expect(exchange.tags[Pause.tag] == "waiting")
        }
    }

    @Test("try changes on a copy, and carry out none if one is not possible")
    func refusals() throws {
        let board = PausedExchanges()
        let attendance = board.attend()
        defer { attendance.leave() }
        let lane = try lane(board, [])
        var exchange = exchange
        #expect(lane.show(pause, &exchange, ExchangeContext()) { _ in } === board)
        let refusal = PauseRefusal([PauseRefusal.Problem("request.url", "no")])
        let edit = PauseDecision(edit: { exchange throws(PauseRefusal) in
            exchange.request.target = "/other"
            throw refusal
        })
        #expect(throws: refusal) { try board.resume(exchange.id, edit) }
        #expect(exchange.request.target == "/secret")
        #expect(board.all.count == 1)
        var context = ExchangeContext()
        let wait = PauseWait(pause, for: Microseconds(5), after: .request)
        let action = lane.carryOut(edit, .forward, &exchange, &context, after: wait)
        #expect(action == .forward)
        #expect(exchange.request.target == "/secret")
        #expect(exchange.original.url == nil)
    }

    private func step(_ context: ExchangeContext, _ exchange: Exchange) throws -> ProvenanceStep {
        var chain = RecordChain([], recordsProvenance: true)
        guard case .sealed(let record) = chain.seal(exchange, context) else {
            throw Failure()
        }
        return try #require(record.exchange.extra?.provenance.last)
    }

    @Test("become steps of the provenance, with the names of what was changed by hand")
    func provenance() throws {
        let lane = try lane(PausedExchanges(), [], recordsProvenance: true)
        let wait = PauseWait(pause, for: Microseconds(5), after: .request)
        let decisions: [(PauseDecision, String, String)] = [
            (PauseDecision(), "resumed", "proceed"),
            (
                PauseDecision(edit: {
                    $0.request.fields.set("X-A".utf8.span, to: "secret".utf8.span)
                }),
                "changed", "proceed"
            ),
            (PauseDecision(.respond(Response(status: 418))), "answered", "respond"),
            (PauseDecision(.abort), "aborted", "abort"),
        ]
        for (decision, name, verdict) in decisions {
            var (exchange, context) = (exchange, ExchangeContext())
            exchange.tags[Pause.tag] = "waiting"
            _ = lane.carryOut(decision, .forward, &exchange, &context, after: wait)
            let step = try step(context, exchange)
            #expect(step.stage == "s")
            #expect(step.hook == "request")
            #expect(step.decision == name)
            #expect(step.verdict == verdict)
            #expect(step.waited == Microseconds(5))
            #expect(step.details == [ProvenanceDetail(name: "rule", value: "r")])
            let changes = step.changes.map { "\($0.kind) \($0.part) \($0.name)" }
            let expected =
                switch name {
                case "changed": ["set request.header X-A"]
                case "answered": ["set response "]
                default: [String]()
                }
            #expect(changes == expected)
        }
    }

    @Test(
        "become steps of the provenance if nobody decides",
        arguments: [(Pause.End.timeout, "timeout"), (.unattended, "unattended"), (.ended, "ended")]
    )
    func passedProvenance(end: Pause.End, name: String) throws {
        let lane = try lane(PausedExchanges(), [], recordsProvenance: true)
        let wait = PauseWait(pause, for: Microseconds(7), after: .response)
        var (exchange, context) = (exchange, ExchangeContext())
        lane.pass(end, .forward, &exchange, &context, after: wait)
        let step = try step(context, exchange)
        #expect(step.decision == name)
        #expect(step.hook == "response")
        #expect(step.waited == Microseconds(7))
        #expect(step.changes.isEmpty)
    }

    @Test("last a day at most")
    func longest() {
        let long = Pause(stage: "s", rule: "r", timeout: Microseconds(.max), limit: 1) { _ in }
        #expect(long.timeout == Microseconds(86_400_000_000))
    }

    @Test("keep the former URL, method and status if they are changed by hand")
    func originals() throws {
        let lane = try lane(PausedExchanges(), [])
        var exchange = exchange
        var context = ExchangeContext()
        let request = PauseWait(pause, for: Microseconds(5), after: .request)
        let response = PauseWait(pause, for: Microseconds(5), after: .response)
        let edit = PauseDecision(edit: { $0.request.target = "/other" })
        let changed = lane.carryOut(
            edit,
            .forward,
            &exchange,
            &context,
            after: request
        )
        #expect(changed == .forward)
        #expect(exchange.original.url == "http://a.test/secret")
        exchange.response = Response(status: 200)
        let answer = PauseDecision(.respond(Response(status: 500, body: Body([0x61]))))
        let replaced = lane.carryOut(
            answer,
            .forward,
            &exchange,
            &context,
            after: response
        )
        #expect(replaced == .forward)
        #expect(exchange.original.status == 200)
        #expect(exchange.response?.fields.first("content-length") == "1")
        let answered = lane.carryOut(
            answer,
            .forward,
            &exchange,
            &context,
            after: request
        )
        #expect(answered == .respond)
        let aborted = lane.carryOut(
            PauseDecision(.abort),
            .forward,
            &exchange,
            &context,
            after: request
        )
        #expect(aborted == .abort)
        #expect(exchange.tags[Pause.tag] == "aborted")
    }
}
