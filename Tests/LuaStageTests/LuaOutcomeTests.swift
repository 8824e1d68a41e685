// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct LuaOutcomeTests {
    @Test func headersAreReadAndChanged() throws {
        let exchange = try Bench.edit(
            """
            local h = ex.request.headers
            h["x-A"] = 9
            h["Content-Type"] = nil
            h:add("X-New", "a")
            h:add("X-New", "b")
            h:set("Other", {"1", "2"})
            log(h["x-a"], #h:all("X-NEW"), h["content-type"], h.other)
            """
        )
        let expected: FieldSection = [
            "Host": "shop.test:8443", "X-A": "9", "X-New": "a", "X-New": "b", "Other": "1",
            "Other": "2",
        ]
        #expect(exchange.request.fields == expected)
    }

    @Test func editsAreVisibleInTheSameHook() throws {
        let lines = try Bench.log(
            """
            local r = ex.request
            r.headers["X-A"] = "9" r.method = "PUT" r.path = "/p" r.query.q = "ä" r.host = "h"
            ex.tags.a = true ex.vars.b = 1.5 r.body = "new"
            log(r.headers["x-a"], r.method, r.path, r.query.q, r.host, ex.tags.a, ex.vars.b, r.body)
            """
        )
        #expect(lines == ["9 PUT /p ä h true 1.5 new"])
    }

    @Test func urlPartsAreAssigned() throws {
        let request = try Bench.edit(
            """
            local r = ex.request
            r.method = "PATCH" r.host = "other.test" r.port = nil r.scheme = "http"
            r.path = "/a/b" r.query.x = "1&2" r.query.y = nil r.query:add("z", "t u")
            """,
            hook: "request"
        ).request
        #expect(request.method == "PATCH")
        #expect(request.url == "http://other.test/a/b?x=1%262&z=t%20u")
        #expect(request.fields.first("host") == "other.test")
    }

    @Test func aWholeURLIsAssigned() throws {
        let request = try Bench.edit(
            "ex.request.url = 'https://user@new.test:99?q#f'",
            hook: "request"
        ).request
        #expect(request.scheme == "https")
        #expect(request.authority == "user@new.test:99")
        #expect(request.target == "/?q")
        #expect(request.fields.first("host") == "new.test:99")
    }

    @Test(arguments: [
        ("*", "http://h:1", "*"), ("*", "http://h:1/", "/"), ("*", "http://h:1?q", "/?q"),
        ("/", "http://h:1", "*"), ("http://a", "http://h:1", "http://h:1"),
    ])
    func theURLOfAnOptionsRequestIsReadAndAssigned(target: String, url: String, made: String) throws
    {
        var exchange = Exchange.sample
        exchange.request.method = "OPTIONS"
        exchange.request.target = ByteString(target)
        let request = try Bench.edit("ex.request.url = '\(url)'", hook: "request", of: exchange)
            .request
        #expect(request.target == ByteString(made))
        exchange.request.target = "*"
        #expect(try Bench.log("log(ex.request.url)", of: exchange) == ["https://shop.test:8443"])
        let same = try Bench.edit("ex.request.url = ex.request.url", hook: "request", of: exchange)
        #expect(same.request.target == "*")
    }

    @Test func recordFieldsStayAsReceived() throws {
        let exchange = try Bench.edit(
            "ex.request.host = 'other.test' ex.response.body = 'longer text'"
        )
        #expect(exchange.request.fields.first("Host") == "shop.test:8443")
        #expect(exchange.request.host == "other.test")
        #expect(exchange.response?.fields.first("Content-Length") == "5")
        #expect(exchange.response?.body == Body(bytes: Array("longer text".utf8), size: 5))
    }

    @Test func assigningABodyOnTheWireUpdatesFraming() throws {
        var exchange = Exchange.sample
        exchange.response?.fields.append(name: "content-encoding", value: "gzip")
        exchange.response?.fields.append(name: "Transfer-Encoding", value: "chunked")
        let response = try #require(
            try Bench.edit("ex.response.body = 'longer text'", hook: "response", of: exchange)
                .response
        )
        #expect(response.body == Body(Array("longer text".utf8)))
        #expect(response.fields.first("content-length") == "11")
        #expect(!response.fields.contains("content-encoding"))
        #expect(!response.fields.contains("transfer-encoding"))
    }

    @Test func trailersAreRemovedWithTheirBody() throws {
        let body = "log(#ex.response.trailers) ex.response.body = 'x' log(#ex.response.trailers)"
        var exchange = Exchange.documented
        exchange.response?.fields.append(name: "Trailer", value: "X-Checksum")
        let response = try #require(
            try Bench.edit(body, hook: "response", of: exchange).response
        )
        #expect(response.trailers.isEmpty)
        #expect(!response.fields.contains("trailer"))
        #expect(try Bench.log(body, hook: "response", of: exchange) == ["1", "0"])
        // A record keeps the received trailers.
        #expect(try Bench.log(body, of: exchange) == ["1", "1"])
        #expect(try Bench.edit(body, of: exchange).response?.trailers == ["X-Checksum": "5d41"])
    }

    @Test func assigningAStatusSetsItsReason() throws {
        let response = try Bench.edit("ex.response.status = 404").response
        #expect(response?.status == 404)
        #expect(response?.reason == "Not Found")
        let named = try Bench.edit("ex.response.status = 404 ex.response.reason = 'Gone away'")
        #expect(named.response?.reason == "Gone away")
        #expect(try Bench.edit("ex.response.status = 200").response?.reason == "OK")
    }

    @Test func tagsAndVariablesAreReadAndChanged() throws {
        let bench = try Bench(
            """
            function request(ex) ex.tags.team = nil ex.tags.n = 7 ex.vars.seen = "yes" end
            function record(ex) log(ex.vars.seen, ex.tags.n) end
            """
        )
        var exchange = Exchange.sample
        var context = ExchangeContext()
        _ = try bench.stage.request(&exchange, &context)
        #expect(exchange.tags == ["n": "7"])
        #expect(context.vars == ["seen": "yes"])
        _ = try bench.stage.record(&exchange, &context)
        #expect(bench.log == ["yes 7"])
    }

    @Test func theRequestIsReadOnlyInTheResponseHook() {
        for body in [
            "ex.request.method = 'PUT'", "ex.request.headers['A'] = '1'",
            "ex.request.query.a = '1'",
        ] {
            #expect(
                Bench.failure(body, hook: "response")?.message
                    == "ex.request cannot be changed in hook 'response'"
            )
        }
        #expect(Bench.failure("ex.request.headers['A'] = '1'", hook: "request") == nil)
    }

    @Test(arguments: [
        ("ex.request.method = 'A B'", "method has a character that is not allowed, at byte 2"),
        ("ex.request.method = ''", "method is empty"),
        ("ex.request.headers['a b'] = '1'", "header name has a character that is not allowed"),
        ("ex.request.headers['a'] = 'x\\r\\ny: 1'", "header value has a CR, LF or NUL, at byte 2"),
        ("ex.request.headers:add('a', 'x\\0')", "header value has a CR, LF or NUL, at byte 2"),
        ("ex.request.headers['a'] = true", "header value is a boolean; expected a string"),
        (
            "ex.response.status = 99",
            "status is invalid; expected an integer from 200 to 999"
        ),
        ("ex.response.status = 1000", "status is invalid"),
        ("ex.response.status = 200.5", "status is invalid"),
        ("ex.response.reason = 'a\\nb'", "header value has a CR, LF or NUL"),
        ("ex.request.path = 'x'", "path does not begin with a slash"),
        ("ex.request.path = '/a?b'", "path has a character that is not allowed, at byte 3"),
        ("ex.request.path = '/a b'", "path has a character that is not allowed, at byte 3"),
        ("ex.request.url = '/a'", "url is not absolute"),
        ("ex.request.host = 'a/b'", "host has a character that is not allowed"),
        ("ex.request.port = 70000", "port is invalid; expected an integer from 1 to 65535"),
        ("ex.request.scheme = 'ftp'", "scheme is invalid; expected http or https"),
        ("ex.request.hedaers = 1", "unknown field of ex.request; did you mean 'headers'?"),
        ("return ex.reqest", "unknown field of ex; did you mean 'request'?"),
        ("ex.request.version = 'x'", "field 'version' of ex.request cannot be assigned"),
        ("ex.response.headers = {}", "headers cannot be assigned"),
        ("ex.id = 'x'", "field 'id' of ex cannot be assigned"),
        ("ex.timing.total_ms = 1", "ex.timing cannot be changed"),
        ("return ex.timing.total", "unknown field of ex.timing; expected one of dns_ms"),
    ])
    func invalidAssignmentsAreRefused(body: String, message: String) throws {
        let error = try #require(Bench.failure(body))
        #expect(error.message.hasPrefix(message), "\(error.message)")
        #expect(error.code == .fault)
        #expect(error.line == 2)
    }

    @Test func messagesDoNotShowUnknownFields() throws {
        let error = try #require(Bench.failure("return ex.request['Bearer abc.def']"))
        #expect(!error.description.contains("Bearer"))
        #expect(error.message.hasPrefix("unknown field of ex.request; expected one of method, url"))
    }

    @Test func changesAreBounded() throws {
        let large = "for i = 1, 11 do ex.tags['t' .. i] = ('v'):rep(100000) end"
        #expect(Bench.failure(large)?.message == "tags are larger than 1 MiB")
        let many = "for i = 1, 10000 do ex.tags['t' .. i] = 'v' end"
        #expect(Bench.failure(many, limits: LuaLimits(time: .seconds(60)))?.code == .instructions)
        let texts = "for i = 1, 10000 do ex.messages[1].text = 'v' end"
        #expect(
            Bench.failure(texts, of: .documented)?.message
                == "more than 4096 changed texts in one call"
        )
    }

    @Test func replacedValuesFreeTheirMemory() throws {
        let exchange = try Bench.edit(
            """
            for i = 1, 100 do ex.tags.t = ("v"):rep(100000) ex.tags.u = i end
            for i = 1, 5000 do ex.request.headers["X-A"] = i ex.request.headers["X-B"] = nil end
            """
        )
        #expect(exchange.tags["t"]?.utf8.count == 100_000)
        #expect(exchange.tags["u"] == "100")
        #expect(exchange.request.fields.all("x-a") == ["5000"])
        #expect(exchange.request.fields.first("Host") == "shop.test:8443")
    }
}
