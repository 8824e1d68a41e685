// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// The rarely used parts of an exchange.
@Suite struct DetailBufferTests {
    @Test(arguments: [
        ("ex.tls.version", "TLSv1.3"), ("ex.server_tls.alpn", "h2"), ("ex.server_tls.sni", "nil"),
        ("ex.connection.reused", "true"), ("ex.bytes.up", "186"), ("ex.bytes.exact", "true"),
        ("ex.original.url", "https://prod.test/cart/items"), ("ex.original.status", "nil"),
        ("ex.error.code", "reset"), ("ex.response.trailers['x-checksum']", "5d41"),
        ("#ex.request.trailers", "0"), ("ex.response.interim[1].headers[1][1]", "Link"),
        ("ex.response.interim[1].reason", "Early Hints"), ("#ex.response.interim", "1"),
        ("ex.response.interim[1].status", "103"), ("#ex.response.interim[1].headers", "1"),
        ("#ex.messages", "2"), ("ex.messages[3]", "nil"), ("ex.messages[0]", "nil"),
        ("ex.messages[-1]", "nil"), ("ex.messages[2].at_ms", "nil"),
        ("ex.messages[1]['dir']", "up"),
        ("(pcall(function() return ex.messages.first end))", "false"),
        ("(pcall(function() return ex.messages[1.5] end))", "false"),
        ("(pcall(function() return ex.messages[1].txt end))", "false"),
    ])
    func scriptsReadDetails(expression: String, expected: String) throws {
        #expect(try Bench.log("log(\(expression))", of: .documented) == [expected])
    }

    @Test(arguments: ["record", "message"])
    func eventsHaveTypeAndID(hook: String) throws {
        var exchange = Exchange.sample
        exchange.messages = [
            StreamMessage(direction: .down, type: "event", eventID: "7", bytes: [0x61]),
            StreamMessage(direction: .down, type: "event", eventID: "8", bytes: [0x62]),
            StreamMessage(direction: .up, bytes: [0x63]),
        ]
        exchange.messages[0].event = "price"
        let line = "log(m.type, m.event, m.id, m.text)"
        let code =
            hook == "record"
            ? "function record(ex) for _, m in ipairs(ex.messages) do \(line) end end"
            : "function message(ex, m) \(line) end"
        let bench = try Bench(code)
        try bench.run(hook, &exchange)
        #expect(bench.log == ["event price 7 a", "event nil 8 b", "text nil nil c"])
        #expect(Bench.failure("ex.messages[1].event = 'x'", of: exchange)?.code == .fault)
    }

    @Test func aGRPCCallHasItsStatusAndItsMessages() throws {
        var exchange = Exchange.sample
        exchange.request.target = "/shop.v1.Orders/Get"
        exchange.request.fields = ["Content-Type": "application/grpc"]
        exchange.response?.trailers = ["grpc-status": "5", "grpc-message": "no%20order"]
        exchange.messages = [
            StreamMessage(direction: .up, type: "grpc", bytes: [0x0A, 0x01, 0x61], size: 3),
            StreamMessage(direction: .down, type: "grpc", bytes: [0x08, 0x96, 0x01]),
        ]
        let body = """
            local call = ex.grpc
            log(call.service, call.method, call.status, call.message, #call.messages)
            local up, down = call.messages[1], call.messages[2]
            log(up.dir, up.size, up.truncated, up.value["1"].text)
            log(down.dir, down.size, down.value["1"].uint, down.value["1"].sint)
            """
        #expect(
            try Bench.log(body, of: exchange) == [
                "shop.v1.Orders Get NOT_FOUND no order 2", "up 3 false a", "down nil 150 75",
            ]
        )
        #expect(Bench.failure("ex.grpc.status = 'OK'", of: exchange)?.code == .fault)
        #expect(try Bench.log("log(ex.grpc)") == ["nil"])
    }

    /// A gRPC call with copies of a message.
    private func call(_ count: Int, _ message: [UInt8]) -> Exchange {
        var exchange = Exchange.sample
        exchange.request.target = "/shop.v1.Orders/Get"
        exchange.request.fields = ["Content-Type": "application/grpc"]
        exchange.messages = [StreamMessage](
            repeating: StreamMessage(direction: .up, type: "grpc", bytes: message),
            count: count
        )
        return exchange
    }

    @Test func messagesBeyondALimitOfACallAreCounted() throws {
        let body = "log(#ex.grpc.messages, ex.grpc.left_out)"
        #expect(try Bench.log(body, of: call(10_003, [8, 1])) == ["10000 3"])
        #expect(try Bench.log(body, of: call(2, [8, 1])) == ["2 nil"])
    }

    @Test func valuesBeyondALimitOfACallAreLeftOut() throws {
        let body = """
            local sizes = {}
            for _, m in ipairs(ex.grpc.messages) do
              local rest = m.value["$left_out"] and "out" or m.value["$truncated"] and "cut"
              sizes[#sizes + 1] = rest or #m.value["1"]
            end
            log(table.concat(sizes, " "))
            """
        let message = [[UInt8]](repeating: [8, 1], count: 10_000).flatMap { $0 }
        let bench = try Bench("function record(ex) \(body) end")
        // What one call used is available to the next.
        for _ in 0..<2 {
            var exchange = call(7, message)
            try bench.run("record", &exchange)
        }
        let expected = "10000 10000 10000 10000 cut out out"
        #expect(bench.log == [expected, expected])
    }

    @Test func unknownDetailsAreNil() throws {
        let body =
            "log(ex.tls, ex.server_tls, ex.error, ex.bytes, ex.original.url, ex.connection.reused)"
        #expect(try Bench.log(body) == ["nil nil nil nil nil nil"])
        #expect(try Bench.log("log(#ex.messages, #ex.response.interim)") == ["0 0"])
    }

    @Test(arguments: [
        "ex.tls.version = 'x'", "ex.original.url = nil", "ex.error.code = 'x'",
        "ex.messages[1] = 'x'",
        "ex.messages[1].dir = 'up'", "ex.messages[1].text = {}", "ex.response.trailers.x = 1",
        "ex.response.trailers:set('x', 1)", "ex.tls = nil", "ex.messages = {}",
    ])
    func detailsAreReadOnly(body: String) {
        #expect(Bench.failure(body, of: .documented)?.code == .fault)
    }

    /// Each part is lent when it is read, even if the text of the script does not name it.
    @Test(arguments: [
        "tls", "server_tls", "original", "error", "connection", "bytes", "messages", "source",
        "client", "server", "state", "timing",
    ])
    func computedNamesAreResolved(name: String) throws {
        let parts = "'\(name.prefix(1))' .. '\(name.dropFirst())'"
        #expect(try Bench.log("log(ex[\(parts)] ~= nil)", of: .documented) == ["true"])
    }

    @Test func namesFromTheOptionsAreResolved() throws {
        let bench = try Bench(
            "function start(c) name = c.name end function record(ex) log(ex[name] ~= nil) end",
            config: #"{"name":"client"}"#
        )
        var exchange = Exchange.documented
        try bench.run("record", &exchange)
        #expect(bench.log == ["true"])
    }

    @Test func messagesCanBeChangedInARecord() throws {
        let made = try Bench.edit(
            "ex.messages[2].text = ('y'):rep(3) ex.messages[2].text = ex.messages[2].text .. 'z'",
            of: .documented
        )
        #expect(made.messages[1].bytes == Array("yyyz".utf8))
        #expect(made.messages[1].isTruncated == false)
        #expect(made.messages[0] == Exchange.documented.messages[0])
    }

    @Test func messagesCannotBeChangedOnTheWire() {
        let failure = Bench.failure("ex.messages[1].text = 'x'", hook: "response", of: .documented)
        #expect(
            failure?.message
                == "ex.messages cannot be changed in hook 'response'; expected in hook 'record'"
        )
    }

    @Test func messagesAreInvalidInLaterCalls() throws {
        let bench = try Bench(
            "function record(ex) kept = kept or ex.messages[1] log(pcall(function() return kept.text end)) end"
        )
        for _ in 0..<2 {
            var exchange = Exchange.documented
            try bench.run("record", &exchange)
        }
        #expect(bench.log[0] == "true token=abc")
        #expect(bench.log[1].contains("belongs to another call"))
    }

    /// The buffer is reused, but values of one exchange must not appear in the next.
    @Test func detailsOfAnEarlierExchangeAreNotVisible() throws {
        let bench = try Bench(
            "function record(ex) log(ex.tls, #ex.messages, #ex.response.trailers, #ex.response.interim) end"
        )
        var first = Exchange.documented
        var second = Exchange.sample
        try bench.run("record", &first)
        try bench.run("record", &second)
        #expect(bench.log.last == "nil 0 0 0")
    }
}
