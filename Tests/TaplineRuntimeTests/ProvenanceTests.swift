// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTesting
import Testing

private struct Refusal: Error, CustomStringConvertible {
    let description = "no"
}

@Suite("The provenance of an exchange")
struct ProvenanceTests {
    private func stage(
        _ id: String,
        when condition: String? = nil,
        onError: OnError = .pass,
        _ script: ScriptedStage
    ) throws -> Topology.Stage {
        Topology.Stage(
            id: id,
            script,
            when: try condition.map { try Filter($0) },
            onError: onError
        )
    }

    /// Runs an exchange through stages, and returns what the record keeps of them.
    private func steps(
        of exchange: Exchange = .example(),
        _ stages: [Topology.Stage],
        recordsProvenance: Bool = true
    ) throws -> [ProvenanceStep]? {
        let runner = try StageRunner(
            stages,
            clock: { Timestamp(microseconds: 0) },
            recordsProvenance: recordsProvenance
        )
        defer { runner.stop() }
        guard case .kept(let record) = runner.run(exchange).disposition else { return nil }
        return record.extra?.provenance ?? []
    }

    /// A step in words: `id.hook verdict`, and its changes.
    private func words(_ steps: [ProvenanceStep]?) -> [String] {
        (steps ?? []).map { step in
            var words = "\(step.stage).\(step.hook) "
            words += step.skipped.isEmpty ? step.verdict : step.skipped
            if step.isFailed { words += " failed" }
            if step.calls != 1 { words += " x\(step.calls)" }
            for change in step.changes {
                words += ", \(change.kind) \(change.part)"
                if !change.name.isEmpty { words += " \(change.name)" }
                if change.count != 1 { words += " x\(change.count)" }
            }
            for detail in step.details { words += ", \(detail.name)=\(detail.value)" }
            return words
        }
    }

    @Test("has a step for each hook, with what it changed")
    func hooks() throws {
        let first = ScriptedStage(
            request: { exchange, context in
                exchange.request.method = "PUT"
                exchange.request.fields.set("X-Team", to: "shop")
                context.vars["seen"] = "1"
                context.addDetail("rule", "first")
                return .delay(Microseconds(5))
            },
            response: { exchange, _ in
                exchange.response?.status = 202
                exchange.tags["slow"] = "yes"
                return .proceed
            },
            record: { exchange, _ in
                exchange.response?.body.bytes.removeLast(4)
                return .keep
            }
        )
        let found = try #require(try steps([stage("a", first), stage("b", first)]))
        #expect(
            words(found) == [
                "a.request proceed, changed method, set request.header X-Team, set var seen, "
                    + "rule=first",
                "b.request proceed, rule=first",
                "a.response proceed, changed status, set tag slow", "b.response proceed",
                "a.record keep, changed response.body", "b.record keep, changed response.body",
            ]
        )
        #expect(found[0].delay == Microseconds(5) && found[2].delay == nil)
        #expect(found[4].changes[0].before == 11 && found[4].changes[0].after == 7)
        let times = found.compactMap(\.at?.count)
        #expect(times == times.sorted() && times.count == 6)
        #expect(found.allSatisfy { ($0.duration?.count ?? -1) >= 0 })
    }

    @Test("says once that 'when' does not match")
    func conditions() throws {
        let all = ScriptedStage(
            request: { _, _ in .proceed },
            response: { _, _ in .proceed },
            record: { _, _ in .keep }
        )
        let found = try steps([
            stage("a", when: "method == \"PUT\"", all),
            stage("b", when: "status == 500", ScriptedStage(record: { _, _ in .keep })),
            stage("c", when: "method == \"GET\"", all),
        ])
        #expect(
            words(found) == [
                "a.request when", "c.request proceed", "c.response proceed", "b.record when",
                "c.record keep",
            ]
        )
    }

    @Test("has the verdict of 'on_error' if a hook fails, and what it had changed by then")
    func failures() throws {
        let failing = ScriptedStage(request: { exchange, _ in
            exchange.request.method = "PUT"
            throw Refusal()
        })
        let passing = ScriptedStage(
            request: { _, _ in .proceed },
            response: { _, _ in .proceed }
        )
        for (onError, expected) in [
            (
                OnError.pass,
                [
                    "a.request proceed failed, changed method, set tag tapline.error",
                    "b.request proceed", "b.response proceed",
                ]
            ),
            (
                OnError.respond,
                [
                    "a.request respond failed, changed method, set response, "
                        + "set tag tapline.error",
                    "b.request not_asked", "b.response proceed",
                ]
            ),
            (
                OnError.abort,
                [
                    "a.request abort failed, changed method, set tag tapline.error",
                    "b.request not_asked", "b.response not_asked",
                ]
            ),
        ] {
            let found = try steps([
                stage("a", onError: onError, failing), stage("b", passing),
            ])
            #expect(words(found) == expected)
        }
        let record = ScriptedStage(record: { _, _ in throw Refusal() })
        #expect(try steps([stage("a", passing), stage("b", record)]) == nil)
    }

    @Test("has the changes of an answer, and hooks without a response")
    func answers() throws {
        let answer = ScriptedStage(request: { _, _ in .respond(Response(status: 418)) })
        let other = ScriptedStage(
            request: { _, _ in .proceed },
            response: { _, _ in .respond(Response(status: 404)) }
        )
        let found = try steps([stage("a", answer), stage("b", other)])
        #expect(
            words(found) == [
                "a.request respond, set response", "b.request not_asked",
                "b.response respond, changed status",
            ]
        )
        var failed = Exchange.example()
        failed.response = nil
        failed.state = .failed
        #expect(
            try words(steps(of: failed, [stage("b", other)])) == [
                "b.request proceed", "b.response not_asked",
            ]
        )
    }

    @Test("has one step for all messages of a stage")
    func messages() throws {
        let editing = ScriptedStage(message: { message, exchange, _ in
            if message.bytes == [0] { return .drop }
            if message.bytes == [1] { message.bytes = [2] }
            exchange.tags["count"] = "\(message.bytes)"
            return .pass
        })
        var exchange = Exchange.example()
        exchange.messages = [[0], [1], [1], [3]].map {
            StreamMessage(direction: .up, bytes: $0)
        }
        #expect(
            try words(steps(of: exchange, [stage("a", editing)])) == [
                "a.message pass x4, removed message, set tag count, changed message x2, "
                    + "changed tag count"
            ]
        )
    }

    @Test("is kept from a recording, and continued")
    func replayed() throws {
        let before = ProvenanceStep(stage: "old", hook: "request", verdict: "proceed")
        var exchange = Exchange.example()
        var extra = ExchangeExtra()
        extra.provenance = [before]
        exchange.extra = extra
        let stages = [try stage("a", ScriptedStage(record: { _, _ in .keep }))]
        #expect(
            try words(steps(of: exchange, stages)) == ["old.request proceed", "a.record keep"]
        )
        #expect(try steps(of: exchange, stages, recordsProvenance: false) == [before])
    }

    @Test("is neither recorded nor available to stages unless it is on")
    func off() throws {
        let asking = ScriptedStage(
            request: { _, context in
                context.addDetail("rule", "never")
                return .proceed
            },
            record: { exchange, context in
                exchange.tags["on"] = "\(context.recordsProvenance)"
                return .keep
            }
        )
        #expect(try steps([stage("a", asking)], recordsProvenance: false) == [])
        let on = try steps([stage("a", asking)])
        #expect(
            words(on) == ["a.request proceed, rule=never", "a.record keep, set tag on"]
        )
    }

    @Test("is lost with a record that a stage drops")
    func dropped() throws {
        let onWire = ScriptedStage(request: { _, _ in .drop(reason: "noise") })
        let atEnd = ScriptedStage(record: { _, _ in .drop(reason: "noise") })
        for dropping in [onWire, atEnd] {
            #expect(try steps([stage("a", dropping)]) == nil)
        }
    }

    @Test("does not report variables that are removed after the last redaction")
    func variables() throws {
        let setting = ScriptedStage(request: { _, context in
            context.vars["token"] = "1"
            return .proceed
        })
        let redacting = ScriptedStage(redacts: true, record: { _, _ in .keep })
        let last = ScriptedStage(record: { _, _ in .keep })
        let found = try steps([
            stage("a", setting), stage("b", redacting), stage("c", last),
        ])
        #expect(
            words(found) == [
                "a.request proceed, set var token", "b.record keep", "c.record keep",
            ]
        )
    }
}
