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

/// Appends a text to messages; drops, aborts or fails at a message that asks for it.
private func adding(_ text: String, _ word: String = "none") -> ScriptedStage.MessageHook {
    { message, _, _ in
        if String(decoding: message.bytes, as: UTF8.self).hasPrefix("drop") { return .drop }
        if message.bytes.starts(with: word.utf8) { return .abort }
        message.bytes += Array(text.utf8)
        if message.bytes.starts(with: "fail".utf8) { throw Refusal() }
        return .pass
    }
}

@Suite("Hooks on messages")
struct MessageHookTests {
    private func run(_ texts: [String], _ stages: [Topology.Stage]) throws -> StageRunOutcome {
        var exchange = Exchange.example()
        exchange.messages = texts.map {
            StreamMessage(direction: .up, bytes: Array($0.utf8))
        }
        let trial = try StageRunner(stages) { Timestamp(microseconds: 0) }
        defer { trial.stop() }
        return trial.run(exchange)
    }

    private func texts(_ outcome: StageRunOutcome) -> [String]? {
        guard case .kept(let exchange) = outcome.disposition else { return nil }
        return exchange.messages.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func stage(
        _ id: String,
        when condition: String? = nil,
        onError: OnError = .pass,
        _ hook: @escaping ScriptedStage.MessageHook
    ) throws -> Topology.Stage {
        Topology.Stage(
            id: id,
            ScriptedStage(message: hook),
            when: try condition.map { try Filter($0) },
            onError: onError
        )
    }

    @Test("run from top to bottom if their 'when' matches")
    func order() throws {
        let outcome = try run(
            ["a", "b"],
            [
                try stage("1", adding("1")),
                try stage("2", when: "status == 404", adding("2")),
                try stage("3", when: "status == 200", adding("3")),
            ]
        )
        #expect(texts(outcome) == ["a13", "b13"])
    }

    @Test("end with the stage that drops a message")
    func drop() throws {
        let outcome = try run(
            ["drop", "b"],
            [try stage("1", adding("1")), try stage("2", adding("2"))]
        )
        #expect(texts(outcome) == ["b12"])
        guard case .kept(let exchange) = outcome.disposition else { return }
        #expect(exchange.tags["tapline.messages"] == "1 dropped by stages")
    }

    @Test("can close the connection, which discards later messages")
    func abort() throws {
        let outcome = try run(
            ["a", "end", "c"],
            [try stage("1", adding("1", "end")), try stage("2", adding("2"))]
        )
        #expect(texts(outcome) == ["a12"])
        #expect(outcome.isAborted)
        guard case .kept(let exchange) = outcome.disposition else { return }
        #expect(exchange.state == .cancelled)
        #expect(exchange.error?.message == "aborted by stage '1'")
    }

    @Test("leave the message unchanged or close the connection if they fail")
    func failure() throws {
        let passed = try run(
            ["fail", "b"],
            [try stage("1", adding("1")), try stage("2", adding("2", "none"))]
        )
        #expect(texts(passed) == ["fail", "b12"])
        #expect(passed.errors == 2)
        for onError in [OnError.respond, .abort] {
            let closed = try run(["fail", "b"], [try stage("1", onError: onError, adding("1"))])
            #expect(texts(closed) == [])
            #expect(closed.isAborted)
        }
    }

    @Test("do not run if no stage has one")
    func none() throws {
        let other = Topology.Stage(id: "1", ScriptedStage(record: { _, _ in .keep }))
        #expect(texts(try run(["a"], [other])) == ["a"])
    }
}
