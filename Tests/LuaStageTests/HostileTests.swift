// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// Attacks of scripts on memory, time and framing that only C code can detect.
@Suite struct HostileTests {
    @Test(arguments: 1023...1029)
    func linesAroundTheLengthLimitAreLogged(length: Int) throws {
        let log = try Bench.log("log(string.rep('x', \(length)), 'y')")
        #expect(log.count == 1)
        #expect(log.first?.utf8.count == min(length + 2, 1024))
    }

    @Test(arguments: [0, 5000, 190_000])
    func chainsOfCallableTablesAreStopped(depth: Int) {
        // Each link moves all arguments, so with a long stack one call would take minutes.
        var failure: ScriptError?
        let time = processorTime {
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
        #expect(time < 8, "\(time)")
    }

    /// A finite chain: each call of its first link moves all slots above it once for each link.
    @Test(arguments: ["chain(1, 2)", "coroutine.wrap(function() return chain(1) end)()"])
    func limitsAreCheckedMoreOftenWithLongStacks(call: String) {
        var failure: ScriptError?
        let time = processorTime {
            failure = Bench.failure(
                """
                local function grow(n) if n == 0 then return 0 end return 1 + grow(n - 1) end
                pcall(grow, 5000)
                local chain = function() end
                for i = 1, 30000 do chain = setmetatable({}, {__call = chain}) end
                while true do \(call) end
                """,
                limits: LuaLimits(time: .milliseconds(200))
            )
        }
        #expect(failure?.message.contains("seconds") == true, "\(String(describing: failure))")
        #expect(time < 8, "\(time)")
    }

    @Test func longStacksAreUntrackedWithTheirCoroutines() {
        // If they stayed tracked, one more long stack than is allowed would be refused.
        let failure = Bench.failure(
            """
            local function grow(n) if n == 0 then return 0 end return 1 + grow(n - 1) end
            for i = 1, 40 do
              assert(coroutine.wrap(grow)(1000) == 1000)
              assert(select("#", table.unpack({}, 1, 16000)) == 16000)
            end
            """,
            limits: LuaLimits(time: .seconds(60))
        )
        #expect(failure == nil)
    }

    @Test func coroutinesInheritTheCheckInterval() {
        // Created while the script is small, so that a thousand long comparisons would go
        // unchecked.
        var failure: ScriptError?
        let time = processorTime {
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
        #expect(time < 2, "\(time)")
    }

    @Test func codepointChecksTheNumberOfCharacters() throws {
        let failure = Bench.failure("utf8.codepoint(string.rep('x', 100000), 1, -1)")
        #expect(failure?.message.contains("too long") == true)
        #expect(try Bench.log("log(utf8.codepoint('aé', 1, -1))") == ["97 233"])
        #expect(try Bench.log("log(utf8.codepoint('ab'))") == ["97"])
    }

    @Test func repliesAreFramedByTapline() throws {
        let headers = "headers={['transfer-encoding']='chunked', ['content-length']='99'}"
        let exchange = try reply("respond{body='hello', \(headers)}")
        #expect(exchange.fields.first("transfer-encoding") == nil)
        #expect(exchange.fields.first("content-length")?.description == "5")
        let empty = try reply("respond{status=204, \(headers)}")
        #expect(empty.fields.first("transfer-encoding") == nil)
        #expect(empty.fields.first("content-length") == nil)
    }

    @Test(arguments: [
        "headers['content-length'] = 99", "headers['Transfer-Encoding'] = 'chunked'",
        "headers['Content-Length'] = nil", "headers:add('content-length', 5)",
        "headers:set('transfer-encoding', {'gzip', 'chunked'})",
    ])
    func framingFieldsCannotBeWritten(code: String) throws {
        let failure = Bench.failure("local headers = ex.response.headers \(code)", hook: "response")
        #expect(failure?.message.contains("is derived from the body") == true)
        // A record is not sent, so its fields can be written.
        _ = try Bench.edit("local headers = ex.response.headers \(code)")
    }

    @Test func unchangedFramingFieldsCanBeWritten() throws {
        let same = try Bench.edit(
            """
            for name, value in pairs(ex.response.headers) do ex.response.headers[name] = value end
            ex.response.headers["Transfer-Encoding"] = nil
            """,
            hook: "response"
        )
        #expect(same.response?.fields.first("Content-Length")?.description == "5")
        let unmodified = try Bench.edit(
            "ex.response.status = 304 ex.response.headers['Content-Length'] = 99",
            hook: "response"
        )
        #expect(unmodified.response?.fields.first("Content-Length")?.description == "99")
    }

    @Test(arguments: ["request", "response"])
    func partialChangesFailTheHook(hook: String) {
        // A section may take 1 MiB, which leaves no room for a longer Content-Length.
        let failure = Bench.failure(
            """
            local headers, used = ex.\(hook).headers, 0
            for name, value in pairs(headers) do used = used + #name + #value end
            headers["X-Fill"] = ("v"):rep((1 << 20) - used - #"X-Fill")
            pcall(function() ex.\(hook).body = "longer than before, and of another length" end)
            """,
            hook: hook
        )
        #expect(failure?.message == "headers are larger than 1 MiB")
        #expect(failure?.line == 5)
    }

    @Test func editsAreAtomic() {
        // The last edit no longer fits.
        let failure = Bench.failure(
            """
            for i = 1, 11 do pcall(function() ex.tags["x" .. i] = ("v"):rep(100000) end) end
            """
        )
        #expect(failure?.message == "tags are larger than 1 MiB")
    }

    @Test(arguments: ["status=204", "status=304", "status=205"])
    func aBodyIsRefusedForStatusesWithoutContent(status: String) {
        let failure = Bench.failure("return respond{\(status), body='x'}", hook: "request")
        #expect(failure?.message.hasPrefix("respond has a body") == true)
    }

    @Test(arguments: ["return respond{status=100}", "ex.response.status = 101"])
    func interimStatusesAreRefused(code: String) {
        let failure = Bench.failure(code, hook: "response")
        #expect(failure?.message.contains("from 200 to 999") == true)
    }

    @Test func smallChangesAreChargedByTheirSize() throws {
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
        guard case .respond(var response) = verdict.action else {
            Issue.record("expected a reply")
            return try #require(Exchange.sample.response)
        }
        // As a lane does.
        response.frame(answering: exchange.request.method)
        return response
    }
}
