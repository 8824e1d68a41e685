// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct ScriptErrorTests {
    @Test func messagesNameScriptLineAndHook() throws {
        let error = try #require(Bench.failure("local x\nx.y = 1"))
        #expect(
            error.description
                == "test.lua:3: attempt to index a nil value (local 'x') in hook 'record'"
        )
        #expect(error.line == 3)
        #expect(error.hook == "record")
        #expect(error.code == .fault)
        // The suggestion is at the end.
        #expect(
            Bench.failure("ex.tgas = 1")?.description
                == "test.lua:2: unknown field of ex in hook 'record'; did you mean 'tags'?"
        )
    }

    @Test(arguments: [
        ("return respond {}", "record", "function 'respond' is not available in hook 'record'"),
        ("return 5", "request", "hook 'request' returned a number; expected a verdict or nothing"),
        (
            "ex.request.port = 0", "request",
            "port is invalid in hook 'request'; expected an integer from 1 to 65535"
        ),
        (
            "ex.messages[1].text = 'x'", "response",
            "ex.messages cannot be changed in hook 'response'; expected in hook 'record'"
        ),
    ])
    func messagesNameTheHookOnce(body: String, hook: String, text: String) throws {
        var exchange = Exchange.sample
        exchange.messages = [StreamMessage(direction: .up, bytes: [0x61])]
        let error = try #require(Bench.failure(body, hook: hook, of: exchange))
        #expect(error.description == "test.lua\(error.line.map { ":\($0)" } ?? ""): \(text)")
        #expect(error.hook == hook)
    }

    @Test func messagesDoNotShowTextOfTheScript() throws {
        for body in [
            "error('secret')", "error({secret = 1})", "error('secret', 0)", "error('secret', 2)",
            "assert(false, 'secret')", "pcall(error) error('secret')",
            "local ok, e = pcall(error, 'secret') error(e)",
            "coroutine.wrap(function() error('secret') end)()",
            "xpcall(error, function(e) return e end, 'x') error('secret')",
        ] {
            let error = try #require(Bench.failure(body))
            #expect(
                error.description == "test.lua:2: the script raised an error in hook 'record'",
                "\(body)"
            )
            #expect(error.code == .raised)
        }
        #expect(Bench.failure("error('secret')")?.debugDescription.contains("secret") == true)
        #expect(
            Bench.failure("error({})")?.debugDescription.hasSuffix("error object is a table")
                == true
        )
    }

    @Test(arguments: [
        ("string.format('%y' .. 'secret', 1)", "invalid conversion '…'"),
        ("return ('x' .. 'secret') + 1", "attempt to add a 'string' with a 'number'"),
        ("return #5", "attempt to get length of a number value"),
        ("undefined()", "attempt to call a nil value (global 'undefined')"),
        ("ex.request.headers.none.x = 1", "attempt to index a nil value (field 'none')"),
        ("('x'):rep({})", "bad argument #1 to 'rep' (number expected, got table)"),
        ("for i = 1, {} do end", "bad 'for' limit (number expected, got table)"),
        ("local n = 0 return 1 % n", "attempt to perform 'n"),
        ("json.decode('{\"secret\":')", "json: text ends too early at byte"),
        ("coroutine.wrap(function() local x x() end)()", "attempt to call a nil value (local 'x')"),
    ])
    func messagesOfLuaAreShown(body: String, message: String) throws {
        let error = try #require(Bench.failure(body))
        #expect(error.message.hasPrefix(message), "\(error.message)")
        #expect(!error.description.contains("secret"))
        #expect(error.line == 2)
    }

    @Test func limitMessagesNameTheOption() throws {
        let limits = LuaLimits(memory: 1 << 20, instructions: 50_000, time: .seconds(5))
        let loop = try #require(Bench.failure("while true do end", limits: limits))
        #expect(
            loop.description == "test.lua:2: script stopped after 50000 instructions in hook "
                + "'record'; raise 'max_instructions' or simplify the script"
        )
        let bomb = try #require(
            Bench.failure(
                "local t = {} while true do t[#t + 1] = #t .. 'x' end",
                limits: LuaLimits(memory: 1 << 20)
            )
        )
        #expect(bomb.code == .memory)
        #expect(bomb.line == 2)
        #expect(bomb.help == "raise 'max_memory' or use less memory")
    }

    @Test func anErrorInStartIsThrown() {
        let error = #expect(throws: ScriptError.self) {
            _ = try Bench("function start()\n  local x = nil + 1\nend\nfunction record() end")
        }
        #expect(error?.hook == "start")
        #expect(error?.line == 2)
    }

    @Test func anErrorInStopIsLogged() throws {
        let bench = try Bench("function stop() error('secret') end function record() end")
        bench.stage.stop()
        #expect(bench.log == ["test.lua:1: the script raised an error in hook 'stop'"])
    }

    @Test func aSyntaxErrorHasItsLine() {
        let error = #expect(throws: ScriptError.self) { _ = try Bench("local x = 1\nx = = 2\n") }
        #expect(error?.code == .syntax)
        #expect(error?.line == 2)
        #expect(error?.message == "unexpected symbol near '='")
    }

    @Test func bytecodeIsRefused() {
        let error = #expect(throws: ScriptError.self) { _ = try Bench("\u{1B}Lua\u{54}") }
        #expect(error?.code == .syntax)
    }

    @Test func aHookMustBeAFunction() {
        let error = #expect(throws: ScriptError.self) { _ = try Bench("record = 5") }
        #expect(error?.message == "hook 'record' is a number; expected a function")
    }
}
