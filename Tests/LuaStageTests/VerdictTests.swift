// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import LuaStage
@testable import TaplinePlugin

@Suite struct VerdictTests {
    private func request(_ body: String) throws -> Verdict {
        let bench = try Bench("function request(ex)\n\(body)\nend")
        var exchange = Exchange.sample
        var context = ExchangeContext()
        return try bench.stage.request(&exchange, &context)
    }

    private func reply(_ body: String) throws -> Response? {
        guard case .respond(var response) = try request(body).action else { return nil }
        // As a lane does.
        response.frame(answering: "GET")
        return response
    }

    @Test func noVerdictProceeds() throws {
        let verdict = try request("")
        guard case .proceed = verdict.action else { throw Unexpected() }
        #expect(verdict.delay == Microseconds(0))
    }

    @Test func respondCreatesAResponse() throws {
        let response = try #require(
            try reply(
                """
                return respond{status = 418, reason = "Teapot", body = "short",
                  headers = {["X-B"] = 1, A = {"1", "2"}}}
                """
            )
        )
        #expect(response.status == 418)
        #expect(response.reason == "Teapot")
        #expect(response.body == Body(Array("short".utf8)))
        #expect(
            response.fields == ["A": "1", "A": "2", "X-B": "1", "Content-Length": "5"]
        )
    }

    @Test func respondAcceptsPairs() throws {
        let response = try reply("return respond{headers = {{'B', '1'}, {'A', {'2', '3'}}}}")
        #expect(response?.fields == ["B": "1", "A": "2", "A": "3", "Content-Length": "0"])
        #expect(response?.status == 200)
        #expect(response?.reason == "OK")
    }

    @Test func respondAcceptsJSON() throws {
        let response = try reply("return respond{json = {b = 1, a = json.array()}}")
        #expect(response?.body == Body(Array(#"{"a":[],"b":1}"#.utf8)))
        #expect(response?.fields == ["Content-Type": "application/json", "Content-Length": "14"])
    }

    @Test func respondMayHaveNoContent() throws {
        #expect(try reply("return respond{status = 204}")?.fields.isEmpty == true)
    }

    @Test func dropKeepsNoRecord() throws {
        guard case .drop(let reason) = try request("return drop('health check')").action else {
            throw Unexpected()
        }
        #expect(reason == "health check")
    }

    @Test func abortClosesTheConnection() throws {
        guard case .abort = try request("return abort()").action else { throw Unexpected() }
    }

    @Test func delayWaits() throws {
        let verdict = try request("return delay(0.25)")
        #expect(verdict.delay == Microseconds(250_000))
        guard case .proceed = verdict.action else { throw Unexpected() }
    }

    @Test func delayAcceptsAVerdict() throws {
        let verdict = try request("return delay(1, respond{status = 503})")
        #expect(verdict.delay == Microseconds(1_000_000))
        guard case .respond(let response) = verdict.action else { throw Unexpected() }
        #expect(response.status == 503)
    }

    @Test func theRecordHookDropsARecord() throws {
        let bench = try Bench(
            "function record(ex) if ex.response.status == 200 then return drop() end end"
        )
        var exchange = Exchange.sample
        var context = ExchangeContext()
        #expect(try bench.stage.record(&exchange, &context).dropReason == "dropped by the script")
        exchange.response?.status = 500
        #expect(try bench.stage.record(&exchange, &context).dropReason == nil)
    }

    @Test func theResponseHookReplacesTheResponse() throws {
        let bench = try Bench("function response(ex) return respond{status = 500} end")
        var exchange = Exchange.sample
        var context = ExchangeContext()
        let verdict = try bench.stage.response(&exchange, &context)
        guard case .respond(let response) = verdict.action else { throw Unexpected() }
        #expect(response.status == 500)
    }

    @Test(arguments: [
        ("drop('x')", "a verdict was created but not returned; write 'return drop()' or similar"),
        ("return 5", "hook 'request' returned a number; expected a verdict or nothing"),
        ("return nil, drop()", "a verdict was created but not returned"),
        ("drop() return abort()", "a hook can create one verdict per call; this is the second"),
        ("return respond{stauts = 200}", "unknown field of respond; did you mean 'status'?"),
        ("return respond{body = '', json = 1}", "respond has more than one of body, json and file"),
        ("return respond{status = 'x'}", "status is invalid"),
        ("return respond{headers = {A = 'x\\ny'}}", "header value has a CR, LF or NUL"),
        ("return respond{headers = {['A B'] = 'x'}}", "header name has a character"),
        ("return delay(-1)", "delay is invalid; expected seconds from 0 to 3600"),
        ("return delay(0/0)", "delay is invalid"),
        ("return delay(1, 2)", "the second argument of delay is not a verdict of the same call"),
        ("return drop(('x'):rep(1000))", "reason is longer than 200 bytes"),
    ])
    func invalidVerdictsAreRefused(body: String, message: String) throws {
        let error = try #require(Bench.failure(body, hook: "request"))
        #expect(error.message.hasPrefix(message), "\(error.message)")
    }

    @Test func aVerdictThatIsNotReturnedHasItsLine() throws {
        let error = try #require(Bench.failure("\n\ndrop('x')\n", hook: "request"))
        let first = try #require(Bench.failure("drop('x')", hook: "request")?.line)
        #expect(error.line == first + 2)
    }

    @Test func theRecordHookMayOnlyDrop() {
        for call in ["respond{}", "delay(1)", "abort()"] {
            let error = Bench.failure("return \(call)")
            #expect(error?.message.hasSuffix("is not available in hook 'record'") == true)
        }
    }

    @Test func aVerdictOfAnEarlierCallIsRefused() throws {
        let bench = try Bench(
            "local kept function request(ex) if kept then return kept end kept = drop() return kept end"
        )
        var exchange = Exchange.sample
        try bench.run("request", &exchange)
        #expect(throws: ScriptError.self) { try bench.run("request", &exchange) }
    }
}

private struct Unexpected: Error {}
