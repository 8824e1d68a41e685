// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct LuaExchangeViewTests {
    @Test(arguments: [
        ("ex.id", "01930000-0000-7000-8000-000000000001"), ("ex.source", "replay"),
        ("ex.state", "completed"), ("ex.client", "127.0.0.1:51234"),
        ("ex.server", "127.0.0.1:8443"), ("ex.started", "1700000000.25"),
        ("ex.timing.total_ms", "15.5"), ("ex.timing.dns_ms", "nil"), ("ex.tags.team", "checkout"),
        ("ex.tags.other", "nil"), ("ex.vars.other", "nil"),
        ("ex.request.method", "POST"),
        ("ex.request.url", "https://shop.test:8443/cart/items?x=1&y=a%20b&x=2"),
        ("ex.request.scheme", "https"), ("ex.request.host", "shop.test"),
        ("ex.request.port", "8443"), ("ex.request.path", "/cart/items"),
        ("ex.request.target", "/cart/items?x=1&y=a%20b&x=2"),
        ("ex.request.query.x", "1"), ("ex.request.query.y", "a b"), ("ex.request.query.z", "nil"),
        ("tostring(ex.request.query)", "x=1&y=a%20b&x=2"),
        ("table.concat(ex.request.query:all('x'), ',')", "1,2"),
        ("ex.request.version", "HTTP/1.1"), ("ex.request.headers['x-A']", "1"),
        ("ex.request.headers['X-None']", "nil"), ("ex.request.headers:get('X-A')", "1"),
        ("table.concat(ex.request.headers:all('x-a'), ',')", "1,2"), ("#ex.request.headers", "4"),
        ("ex.request.body_size", "42"), ("ex.request.body_truncated", "false"),
        ("ex.request.body", #"{"a":[1,null],"n":9007199254740993,"e":[]}"#),
        ("ex.request:json().n", "9007199254740993"),
        ("ex.request:json() == ex.request:json()", "true"),
        ("ex.response.status", "200"), ("ex.response.reason", "OK"),
        ("ex.response.headers['content-type']", "text/plain"), ("ex.response.body", "hello"),
        ("ex.response.body_size", "5"), ("ex.response.version", "HTTP/1.1"),
    ])
    func readsEveryField(expression: String, expected: String) throws {
        #expect(try Bench.log("log(\(expression))") == [expected])
    }

    @Test func pairsKeepOrderAndDuplicates() throws {
        let lines = try Bench.log("for n, v in pairs(ex.request.headers) do log(n, v) end")
        #expect(
            lines == [
                "Host shop.test:8443", "X-A 1", "x-a 2", "Content-Type application/json",
            ]
        )
        let items = try Bench.log("for n, v in pairs(ex.request.query) do log(n, v) end")
        #expect(items == ["x 1", "y a b", "x 2"])
        #expect(try Bench.log("for n, v in pairs(ex.tags) do log(n, v) end") == ["team checkout"])
    }

    @Test func stateIsNilOnTheWire() throws {
        #expect(try Bench.log("log(ex.state)", hook: "request") == ["nil"])
    }

    @Test func missingResponseIsNil() throws {
        var exchange = Exchange.sample
        exchange.response = nil
        #expect(try Bench.log("log(ex.response)", of: exchange) == ["nil"])
    }

    @Test func theExchangeIsInvalidAfterTheHook() throws {
        let bench = try Bench(
            "local kept function request(ex) kept = ex end function stop() log(kept.id) end"
        )
        var exchange = Exchange.sample
        try bench.run("request", &exchange)
        bench.stage.stop()
        #expect(bench.log.count == 1)
        #expect(bench.log[0].contains("there is no exchange here"))
    }

    @Test func aKeptExchangeReadsTheCurrentOne() throws {
        let bench = try Bench(
            "local kept function request(ex) kept = kept or ex log(kept.request.method) end"
        )
        var exchange = Exchange.sample
        try bench.run("request", &exchange)
        exchange.request.method = "PUT"
        try bench.run("request", &exchange)
        #expect(bench.log == ["POST", "PUT"])
    }

    /// Objects that a script keeps lend the exchange of the current call, whichever is used first.
    @Test(arguments: [
        ("ex.request", "kept.method", "PUT"), ("ex.request.headers", "kept['X-A']", "9"),
        ("ex.request.query", "kept.q", "9"), ("ex.request.cookies", "kept.id", "9"),
        ("ex.response", "kept.status", "404"), ("ex.response.headers", "kept['X-B']", "9"),
        ("ex.response.cookies", "kept.a.value", "9"), ("ex.tags", "kept.team", "9"),
        ("ex.timing", "kept.total_ms", "9.0"), ("ex.original", "kept.method", "HEAD"),
        ("ex.request.trailers", "kept.t", "9"), ("ex.messages", "#kept", "1"),
        ("ex.request", "kept:json().v", "9"),
    ])
    func keptObjectsReadTheCurrentExchange(object: String, read: String, expected: String) throws {
        let bench = try Bench(
            """
            local kept
            function record(ex)
              if not kept then kept = \(object) else log(\(read)) end
            end
            """
        )
        var exchange = Exchange.documented
        exchange.request.trailers = ["t": "1"]
        try bench.run("record", &exchange)
        exchange.request.method = "PUT"
        exchange.request.target = "/?q=9"
        exchange.request.fields = ["X-A": "9", "Cookie": "id=9"]
        exchange.request.trailers = ["t": "9"]
        exchange.request.body = Body(Array(#"{"v":9}"#.utf8))
        exchange.response?.status = 404
        exchange.response?.fields = ["X-B": "9", "Set-Cookie": "a=9"]
        exchange.tags["team"] = "9"
        exchange.timing.total = Microseconds(9000)
        exchange.original = Original(method: "HEAD")
        exchange.messages.removeLast()
        try bench.run("record", &exchange)
        #expect(bench.log == [expected])
    }
}
