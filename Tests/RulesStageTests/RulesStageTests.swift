// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import RulesStage

@Suite("The stage rules") struct RulesStageTests {
    private let folder: TemporaryFolder
    private var path: String { folder("rules.yaml") }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ rules: String) throws {
        try folder.write("version: 1\nrules:\n\(rules)\n", to: "rules.yaml")
    }

    /// A stage of the file, and its factory, which looks at the files only if it is told to.
    private func make(
        _ rules: String,
        log: Log = .none
    ) throws -> (stage: RulesStage, factory: RulesStageFactory) {
        try write(rules)
        let loader = RuleFileLoader(
            path: path,
            environment: Environment(),
            protected: ProtectedFiles([])
        )
        var diagnostics = Diagnostics()
        let set = try #require(try loader.load(into: &diagnostics).set)
        let factory = RulesStageFactory(set, loader, interval: nil)
        let context = StageContext(id: "rules", log: log, seed: 7)
        let stage = try #require(try factory.makeStage(context) as? RulesStage)
        return (stage, factory)
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        var log: Log {
            Log(component: "rules") { entry in self.lines.withLock { $0.append(entry.message) } }
        }
    }

    private func metric(_ name: String, _ factory: RulesStageFactory, of subject: String) -> Int? {
        factory.metrics.first { $0.name == name && $0.subject == subject }?.count
    }

    @Test("counts the hits of its rules, over all lanes")
    func hits() throws {
        let (stage, factory) = try make(
            """
              - { name: a, when: path == "/a", actions: [set: { response.header.X: "1" }] }
              - { name: b, when: status == 200, actions: [delay: 1s] }
            """
        )
        let other = try #require(
            try factory.makeStage(StageContext(id: "rules", lane: 1, seed: 8)) as? RulesStage
        )
        for stage in [stage, other] {
            var exchange = Exchange.request("http://a.test/a")
            var context = ExchangeContext()
            _ = try stage.request(&exchange, &context)
            exchange.response = Response()
            let verdict = try stage.response(&exchange, &context)
            #expect(verdict.delay.count == 1_000_000)
            #expect(exchange.response?.fields.first("x") == "1")
        }
        #expect(metric("hits", factory, of: "a") == 2)
        #expect(metric("hits", factory, of: "b") == 2)
        #expect(metric("bodies not replaced", factory, of: "a") == 0)
    }

    @Test("answers and fails with the verdicts of wire hooks")
    func verdicts() throws {
        let (stage, _) = try make(
            """
              - { when: path == "/a", actions: [delay: 1s, respond: { status: 204 }] }
              - { when: path == "/b", actions: [fail: reset] }
            """
        )
        func verdict(_ path: String) throws -> Verdict {
            var exchange = Exchange.request("http://a.test\(path)")
            var context = ExchangeContext()
            return try stage.request(&exchange, &context)
        }
        let answer = try verdict("/a")
        guard case .respond(let response) = answer.action else {
            Issue.record("no answer")
            return
        }
        #expect(response.status == 204)
        #expect(answer.delay.count == 1_000_000)
        guard case .fail(let error) = try verdict("/b").action else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == "reset")
        #expect(error.message == "reset by rule 'rule 2'")
        guard case .proceed = try verdict("/c").action else {
            Issue.record("a verdict without a rule")
            return
        }
    }

    @Test("takes over a changed file as a whole; exchanges in progress keep the old rules")
    func reload() throws {
        let lines = Lines()
        let (stage, factory) = try make(
            "  - { name: a, actions: [set: { response.header.X: old }] }",
            log: lines.log
        )
        var early = Exchange.request("http://a.test/")
        var earlyContext = ExchangeContext()
        _ = try stage.request(&early, &earlyContext)
        try write("  - { name: a, actions: [set: { response.header.X: newer }] }")
        factory.watch.checkNow()
        var late = Exchange.request("http://a.test/")
        var lateContext = ExchangeContext()
        _ = try stage.request(&late, &lateContext)
        early.response = Response()
        late.response = Response()
        _ = try stage.response(&early, &earlyContext)
        _ = try stage.response(&late, &lateContext)
        #expect(early.response?.fields.first("x") == "old")
        #expect(late.response?.fields.first("x") == "newer")
        #expect(metric("hits", factory, of: "a") == 2)
        #expect(metric("reloads", factory, of: "rules.yaml") == 1)
        #expect(lines.all == ["\(path) was reloaded: 1 rule"])
    }

    @Test("keeps its rules if the changed file is wrong or missing, and says why once")
    func refusal() throws {
        let lines = Lines()
        let (stage, factory) = try make("  - actions: [set: { tag.a: \"1\" }]", log: lines.log)
        func tag() throws -> String? {
            factory.watch.checkNow()
            var exchange = Exchange.request("http://a.test/")
            var context = ExchangeContext()
            _ = try stage.request(&exchange, &context)
            return exchange.tags["a"]
        }
        try write("  - actions: [sett: { tag.a: \"2\" }, delay: 1]")
        #expect(try tag() == "1")
        #expect(try tag() == "1")
        #expect(lines.all.count == 3)
        #expect(lines.all[0].hasPrefix("\(path):3:15: unknown option 'sett'"))
        #expect(lines.all[1].hasPrefix("\(path):3:"))
        #expect(lines.all[2] == "\(path) is not used; the previous rules stay in use")
        #expect(metric("refused reloads", factory, of: "rules.yaml") == 1)
        try FileSystem.remove(path)
        #expect(try tag() == "1")
        try write("  - actions: [set: { tag.a: three }]")
        #expect(try tag() == "three")
        #expect(lines.all.count == 4)
    }

    @Test("reads a changed file that a rule answers with")
    func answerFile() throws {
        try folder.write("one", to: "a.txt")
        let (stage, factory) = try make("  - actions: [respond: { file: a.txt }]")
        func answer() throws -> [UInt8] {
            factory.watch.checkNow()
            var exchange = Exchange.request("http://a.test/")
            var context = ExchangeContext()
            let verdict = try stage.request(&exchange, &context)
            guard case .respond(let response) = verdict.action else { return [] }
            return response.body.bytes
        }
        #expect(try answer() == Array("one".utf8))
        try folder.write("three", to: "a.txt")
        #expect(try answer() == Array("three".utf8))
    }

    @Test("reads a changed file again once a missing answer appears")
    func missingAnswerFile() throws {
        let lines = Lines()
        let (stage, factory) = try make("  - actions: [set: { tag.a: old }]", log: lines.log)
        try write("  - actions: [set: { tag.a: new }, respond: { file: late.txt }]")
        factory.watch.checkNow()
        factory.watch.checkNow()
        #expect(lines.all.count == 2)
        #expect(lines.all.first?.contains("the file cannot be read") == true, "\(lines.all)")
        try folder.write("late", to: "late.txt")
        factory.watch.checkNow()
        var exchange = Exchange.request("http://a.test/")
        var context = ExchangeContext()
        let verdict = try stage.request(&exchange, &context)
        guard case .respond(let response) = verdict.action else {
            Issue.record("no answer")
            return
        }
        #expect(response.body.bytes == Array("late".utf8))
        #expect(exchange.tags["a"] == "new")
        #expect(lines.all.count == 3)
    }

    @Test("bounds tags in size and number")
    func tagLimits() throws {
        let set = try RuleText.parse(
            "  - actions: [set: { tag.a: \"{{request.body}}\", tag.b: \"{{request.body}}\" }]"
        )
        let body = String(repeating: "ä", count: 400_000)
        var exchange = Exchange.request("http://a.test/", method: "POST", body: body)
        for number in 0..<300 { exchange.tags["n\(number)"] = "x" }
        #expect(set.evaluate(exchange).exchange.tags["a"] == nil)
        for number in 0..<300 { exchange.tags["n\(number)"] = nil }
        let tags = set.evaluate(exchange).exchange.tags
        #expect(tags["a"]?.utf8.count == 65_536)
        #expect(tags["a"]?.contains("\u{FFFD}") == false)
        for number in 0..<15 { exchange.tags["n\(number)"] = String(repeating: "x", count: 65_530) }
        let full = set.evaluate(exchange).exchange.tags
        #expect(full["a"] != nil)
        #expect(full["b"] == nil)
    }

    @Test("explains which rules matched, what they did, and which were not reached")
    func provenance() throws {
        let (stage, _) = try make(
            """
              - { name: first, when: path == "/x", actions: [delay: 1s] }
              - { name: answer, when: path == "/a", actions: [set: { tag.t: v }, respond: {}] }
              - { name: last, actions: [fail: { status: 500, share: 0 }] }
              - { name: late, when: status == 200, actions: [set: { response.header.X: y }] }
            """
        )
        func steps(_ path: String) throws -> [[String]] {
            var exchange = Exchange.request("http://a.test\(path)")
            var context = ExchangeContext()
            var steps: [[String]] = []
            for plane in [Plane.request, .response] {
                context.plane = plane
                context.beginProvenance(exchange)
                if plane == .response {
                    exchange.response = Response()
                    _ = try stage.response(&exchange, &context)
                } else {
                    _ = try stage.request(&exchange, &context)
                }
                context.noteHook(of: "rules", .proceed, exchange)
            }
            var chain = RecordChain([], recordsProvenance: true)
            guard case .sealed(let record) = chain.seal(exchange, context) else { return [] }
            for step in record.exchange.extra?.provenance ?? [] {
                steps.append(step.details.map { "\($0.name): \($0.value)" })
            }
            return steps
        }
        #expect(
            try steps("/a") == [
                [
                    "rule: 'answer' matched: set tag.t, respond with 200",
                    "rule: did not match: 'first'", "rule: not reached: 'last'",
                ],
                ["rule: 'late' matched: set response.header.X"],
            ]
        )
        #expect(
            try steps("/none").first == [
                "rule: 'last' matched: fail with 500 (not this time)",
                "rule: did not match: 'first', 'answer'",
            ]
        )
    }

    @Test("pauses exchanges in the hook that decides the rule, for its time")
    func pause() throws {
        let (stage, factory) = try make(
            """
              - { name: a, when: path == "/a", actions: [pause: { timeout: 5s }, pause] }
              - { name: b, when: status == 500, actions: [pause] }
            """
        )
        var exchange = Exchange.request("http://a.test/a")
        var context = ExchangeContext()
        let asked = try stage.request(&exchange, &context)
        let pause = try #require(asked.pause)
        #expect(pause.rule == "a")
        #expect(pause.stage == "rules")
        #expect(pause.timeout.count == 5_000_000)
        #expect(pause.limit == 16)
        exchange.response = Response(status: 500)
        let answered = try stage.response(&exchange, &context)
        #expect(answered.pause?.timeout.count == 30_000_000)
        #expect(metric("pauses", factory, of: "a") == nil)
        pause.end(.timeout, &exchange.tags)
        #expect(exchange.tags[Pause.tag] == "passed, since nobody decided in time")
        #expect(metric("pauses", factory, of: "a") == 1)
        #expect(metric("pauses without a decision", factory, of: "a") == 1)
        var other = Exchange.request("http://a.test/b")
        let passed = try stage.request(&other, &context)
        #expect(passed.pause == nil)
    }
}
