// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// The hook `message`.
@Suite struct MessageHookTests {
    private func run(_ body: String, _ texts: [String] = ["one", "two"]) throws -> Exchange {
        let bench = try Bench("function message(ex, message)\n\(body)\nend")
        var exchange = exchange(texts)
        try bench.run("message", &exchange)
        return exchange
    }

    private func failure(
        _ body: String,
        _ texts: [String] = ["one"],
        change: (inout StreamMessage) -> Void = { _ in }
    ) -> String? {
        do {
            let bench = try Bench("function message(ex, message)\n\(body)\nend")
            var exchange = exchange(texts)
            change(&exchange.messages[0])
            try bench.run("message", &exchange)
            return nil
        } catch {
            return (error as? ScriptError)?.message
        }
    }

    private func exchange(_ texts: [String]) -> Exchange {
        var exchange = Exchange.sample
        exchange.messages = texts.map {
            StreamMessage(direction: .down, at: Microseconds(1500), bytes: Array($0.utf8), size: 3)
        }
        return exchange
    }

    @Test func messageIsASeparateHook() throws {
        let bench = try Bench("function message() end")
        let factory = try LuaStageFactory(
            LuaScript(path: "a.lua", text: Array("function message() end".utf8)),
            limits: LuaLimits(),
            config: nil
        )
        #expect(factory.hooks == .message)
        var exchange = exchange(["one"])
        let before = exchange
        for hook in ["request", "response", "message", "record"] {
            try bench.run(hook, &exchange)
        }
        #expect(exchange == before)
    }

    @Test(arguments: [
        ("message.dir", "down"), ("message.type", "text"), ("message.text", "one"),
        ("message.at_ms", "1.5"), ("message.size", "3"), ("message.truncated", "false"),
        ("message.code", "nil"), ("ex.request.method", "POST"), ("#ex.messages", "0"),
        ("(pcall(function() return message.txt end))", "false"),
        ("(pcall(function() message.dir = 'up' end))", "false"),
        ("(pcall(function() message.type = 'binary' end))", "false"),
        ("(pcall(function() return message:json() end))", "false"),
    ])
    func scriptsReadTheMessage(expression: String, expected: String) throws {
        let bench = try Bench("function message(ex, message) log(\(expression)) end")
        var exchange = exchange(["one"])
        try bench.run("message", &exchange)
        #expect(bench.log == [expected])
    }

    @Test func assignedTextIsSent() throws {
        let made = try run("message.text = message.text .. '!' message.text = message.text .. '?'")
        #expect(made.messages.map(\.bytes) == ["one!?", "two!?"].map { Array($0.utf8) })
        let json = try run("local v = message:json() v.b = 2 message.json = v", [#"{"a":1}"#])
        #expect(json.messages.map(\.bytes) == [Array(#"{"a":1,"b":2}"#.utf8)])
    }

    @Test func verdictsAndNotesAreApplied() throws {
        let made = try run("if message.text == 'one' then return drop() end ex.tags.n = 1")
        #expect(made.messages.map(\.bytes) == [Array("two".utf8)])
        #expect(made.tags["n"] == "1")
        #expect(try run("return abort()").state == .cancelled)
    }

    @Test(arguments: [
        ("return delay(1)", "function 'delay' is not available in hook 'message'"),
        ("return respond {status = 404}", "function 'respond' is not available in hook 'message'"),
        ("ex.request.method = 'PUT'", "ex.request cannot be changed in hook 'message'"),
        ("ex.response.status = 404", "ex.response cannot be changed in hook 'message'"),
        ("message.text = '\\xff'", "a message of type text must be UTF-8"),
        ("return 1", "hook 'message' returned a number; expected a verdict or nothing"),
        ("drop()", "a verdict was created but not returned; write 'return drop()' or similar"),
    ])
    func invalidUsesAreRefused(body: String, expected: String) {
        #expect(failure(body) == expected)
    }

    @Test func aTruncatedMessageCannotBeChanged() throws {
        let message = failure("message.text = 'x'", change: { $0.isTruncated = true })
        #expect(message?.contains("longer than option 'max_buffer'") == true)
    }

    @Test func binaryMessagesAcceptAnyBytes() {
        #expect(failure("message.text = '\\xff'", change: { $0.type = "binary" }) == nil)
    }

    @Test func aFailureChangesNothing() throws {
        let bench = try Bench(
            "function message(ex, message) message.text = 'x' ex.tags.n = 1 error('no') end"
        )
        var exchange = exchange(["one"])
        var message = exchange.messages[0]
        var context = ExchangeContext()
        #expect(throws: ScriptError.self) {
            try bench.stage.message(&message, &exchange, &context)
        }
        #expect(message == exchange.messages[0] && exchange.tags["n"] == nil)
    }

    @Test func aKeptMessageIsInvalidInLaterCalls() throws {
        let bench = try Bench(
            """
            function message(ex, message)
              if kept then log(rawequal(kept, message), kept.text) end
              kept = message
            end
            function record(ex) log(pcall(function() return kept.text end)) end
            """
        )
        var exchange = exchange(["one", "two"])
        try bench.run("message", &exchange)
        try bench.run("record", &exchange)
        #expect(bench.log[0] == "true two")
        #expect(bench.log[1].contains("belongs to another call"))
    }

    @Test func messagesAreCountedAndLimited() throws {
        let factory = try LuaStageFactory(
            LuaScript(
                path: "a.lua",
                text: Array("function message(ex, m) while m.text == 'one' do end end".utf8)
            ),
            limits: LuaLimits(instructions: 10_000),
            config: nil
        )
        let stage = try #require(
            try factory.makeStage(StageContext(id: "lua")) as? LuaStage
        )
        var exchange = exchange(["one", "two"])
        var context = ExchangeContext()
        for var message in exchange.messages {
            try? { _ = try stage.message(&message, &exchange, &context) }()
        }
        let counts = factory.metrics.filter { $0.subject.hasSuffix(" message") }
        #expect(counts.first { $0.name == "calls" }?.count == 2)
        #expect(counts.first { $0.name == "instruction limit hits" }?.count == 1)
    }
}
