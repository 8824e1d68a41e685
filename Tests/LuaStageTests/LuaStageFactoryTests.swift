// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct LuaStageFactoryTests {
    private func factory(_ code: String) throws -> LuaStageFactory {
        try LuaStageFactory(
            LuaScript(path: "test.lua", text: Array(code.utf8)),
            limits: LuaLimits(),
            config: nil
        )
    }

    @Test func reportsTheHooks() throws {
        #expect(try factory("function request() end").hooks == .request)
        #expect(
            try factory("function response() end function record() end").hooks == [
                .response, .record,
            ]
        )
        #expect(throws: ScriptError.self) { _ = try factory("function start() end") }
    }

    @Test func lanesShareNothing() throws {
        let factory = try factory("n = 0 function record(ex) n = n + 1 ex.tags.n = n end")
        let first = try #require(try factory.makeStage(StageContext(id: "lua")) as? LuaStage)
        let second = try #require(
            try factory.makeStage(StageContext(id: "lua", lane: 1)) as? LuaStage
        )
        var exchange = Exchange.sample
        var context = ExchangeContext()
        _ = try first.record(&exchange, &context)
        _ = try first.record(&exchange, &context)
        #expect(exchange.tags["n"] == "2")
        _ = try second.record(&exchange, &context)
        #expect(exchange.tags["n"] == "1")
    }

    @Test func aSeedFixesRandomNumbers() throws {
        let code = "function record(ex) ex.tags.n = math.random(1 << 60) end"
        func draw(_ seed: UInt64) throws -> String? {
            let stage = try #require(
                try factory(code).makeStage(StageContext(id: "lua", seed: seed)) as? LuaStage
            )
            var exchange = Exchange.sample
            var context = ExchangeContext()
            _ = try stage.record(&exchange, &context)
            return exchange.tags["n"]
        }
        #expect(try draw(7) == draw(7))
        #expect(try draw(7) != draw(8))
    }
}
