// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// What scripts could do with memory, time and framing that only C code sees.
@Suite struct HostileTests {
    @Test(arguments: 1023...1029)
    func logsLinesAroundTheirBound(length: Int) throws {
        let log = try Bench.log("log(string.rep('x', \(length)), 'y')")
        #expect(log.count == 1)
        #expect(log.first?.utf8.count == min(length + 2, 1024))
    }

    @Test(arguments: [0, 5000, 190_000])
    func stopsChainsOfCallableTables(depth: Int) {
        // Each link moves all arguments, so that a long stack makes one call take minutes.
        let clock = ContinuousClock()
        var failure: ScriptError?
        let time = clock.measure {
            failure = Bench.failure(
                """
                local function grow(n) if n == 0 then return 0 end return 1 + grow(n - 1) end
                pcall(grow, \(depth))
                local link = setmetatable({}, {})
                getmetatable(link).__call = link
                link()
                """
            )
        }
        #expect(failure != nil)
        #expect(time < .seconds(8), "\(time)")
    }

    @Test func lookAtCoroutinesAsOftenAsAtWhatResumesThem() {
        // Made while the script is small, so that a thousand long comparisons would go unseen.
        let clock = ContinuousClock()
        var failure: ScriptError?
        let time = clock.measure {
            failure = Bench.failure(
                """
                local made, left, right = {}
                for i = 1, 60 do
                  made[i] = coroutine.create(function()
                    for _ = 1, 300 do if left ~= right then return end end
                  end)
                end
                left = string.rep('x', 12000000) right = string.rep('x', 12000000)
                for i = 1, 60 do coroutine.resume(made[i]) end
                """,
                limits: LuaLimits(time: .milliseconds(100))
            )
        }
        #expect(failure != nil)
        #expect(time < .seconds(2), "\(time)")
    }

    @Test func unpacksNoMoreCharactersThanBytes() throws {
        let failure = Bench.failure("utf8.codepoint(string.rep('x', 100000), 1, -1)")
        #expect(failure?.message.contains("too long") == true)
        #expect(try Bench.log("log(utf8.codepoint('aé', 1, -1))") == ["97 233"])
        #expect(try Bench.log("log(utf8.codepoint('ab'))") == ["97"])
    }

    @Test func framesRepliesItself() throws {
        let headers = "headers={['transfer-encoding']='chunked', ['content-length']='99'}"
        let exchange = try reply("respond{body='hello', \(headers)}")
        #expect(exchange.fields.first("transfer-encoding") == nil)
        #expect(exchange.fields.first("content-length")?.description == "5")
        let empty = try reply("respond{status=204, \(headers)}")
        #expect(empty.fields.first("transfer-encoding") == nil)
        #expect(empty.fields.first("content-length") == nil)
    }

    @Test(arguments: ["status=204", "status=304", "status=205"])
    func refusesABodyWhereThereIsNone(status: String) {
        let failure = Bench.failure("return respond{\(status), body='x'}", hook: "request")
        #expect(failure?.message.contains("no body") == true)
    }

    @Test(arguments: ["return respond{status=100}", "ex.response.status = 101"])
    func refusesInterimAnswers(code: String) {
        let failure = Bench.failure(code, hook: "response")
        #expect(failure?.message.contains("from 200 to 999") == true)
    }

    @Test func chargesSmallChangesForTheRoomTheyTake() throws {
        let failure = Bench.failure(
            "for i = 1, 400000 do ex.request.method = 'A' end",
            limits: LuaLimits(memory: 4 << 20)
        )
        #expect(failure?.message.contains("max_memory") == true)
    }

    private func reply(_ code: String) throws -> Response {
        let bench = try Bench("function request(ex) return \(code) end")
        var exchange = Exchange.sample
        var context = ExchangeContext()
        let verdict = try bench.stage.request(&exchange, &context)
        guard case .respond(let response) = verdict.action else {
            Issue.record("expected a reply")
            return try #require(Exchange.sample.response)
        }
        return response
    }
}
