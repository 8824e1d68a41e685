// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineQuery
import Testing

/// Filters on cookies, JSON, routes, messages, notes and relative times.
@Suite struct ContentTests {
    private static let now = Timestamp(microseconds: 1_000_000_000)

    private func stored(_ text: String, _ exchange: Exchange) -> Bool? {
        (try? Filter(text, now: Self.now, inStore: true))?.matches(exchange)
    }

    private func exchange() -> Exchange {
        var exchange = Samples.full()
        exchange.request.target = "/users/17/orders?x=1"
        exchange.request.fields.append(name: "Cookie", value: "session=abc; theme=dark; flag")
        exchange.request.fields.append(name: "cookie", value: "session=two; a=b=c")
        exchange.request.fields.append(name: "X-Request-ID", value: "r-1")
        exchange.response?.fields.append(name: "Set-Cookie", value: "session=new; Path=/; Secure")
        exchange.response?.fields.append(name: "set-cookie", value: "theme=")
        exchange.request.body = Body(
            Array(
                #"{"user name":"Ann","n":12,"big":1e3,"ok":true,"none":null,"list":[1,"x"]}"#.utf8
            )
        )
        exchange.response?.body = Body(
            Array(#" {"items":[{"id":"a","price":2.5},{"id":"b\n","price":10}],"ok":false}"#.utf8)
        )
        exchange.messages = [
            StreamMessage(direction: .up, bytes: Array("subscribe".utf8)),
            StreamMessage(direction: .down, type: "binary", bytes: [0xFF, 0x61]),
        ]
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(text: "why?", mark: "red"), ExchangeNote(text: "because")]
        exchange.extra = extra
        exchange.started = Timestamp(microseconds: 900_000_000)
        return exchange
    }

    @Test(arguments: [
        (#"request.cookie["session"] == "abc""#, true),
        (#"request.cookie["session"] == "two""#, true),
        (#"request.cookie["session"] == "new""#, false),
        (#"request.cookie["Session"] exists"#, false), (#"request.cookie["flag"] exists"#, false),
        (#"request.cookie["a"] == "b=c""#, true), (#"response.cookie["session"] == "new""#, true),
        (#"response.cookie["Path"] exists"#, false), (#"response.cookie["theme"] == """#, true),
        (#"json "$.n" == 12"#, true), (#"request.json["$.n"] > 11.5"#, true),
        (#"response.json["$.n"] exists"#, false), (#"json["$.big"] == 1000"#, true),
        (#"json["$.n"] == "12""#, false), (#"json["$.n"] != "12""#, true),
        (#"json["$.n"] like "1*""#, false), (#"json["$['user name']"] == "Ann""#, true),
        (#"json "$.user name" contains "nn""#, true), (#"json "$.ok" == true"#, true),
        (#"request.json "$.ok" == false"#, false), (#"json "$.ok" == false"#, true),
        (#"json "$.none" == null"#, true), (#"json "$.none" exists"#, true),
        (#"json "$.list" exists"#, true), (#"json "$.list" != "x""#, false),
        (#"json "$.list[1]" == "x""#, true), (#"json "$.list[2]" exists"#, false),
        (#"json "$.list[*]" in ["y", 1]"#, true), (#"json "$.items[*].id" == "b\n""#, true),
        (#"json "$.items[0].price" < 2.6"#, true), (#"json "$.items.*.price" >= 10"#, true),
        (#"json "$" exists"#, true), (#"route == "/users/{id}/orders""#, true),
        (#"route contains "17""#, false), (#"correlation == "r-1""#, true),
        (#"message.text == "subscribe""#, true), (#"message.text contains "a""#, true),
        (#"message.text ~ "^sub""#, true), (#"note contains "cause""#, true),
        (#"mark == "red""#, true), (#"mark != "red""#, false),
        (#"any contains "/users/17""#, true), (#"any contains "theme=dark""#, true),
        (#"any contains "X-Request-ID""#, true), (#"any contains "user name""#, true),
        (#"any contains "items""#, true), (#"any contains "subscribe""#, true),
        (#"any contains "why?""#, false), (#"any contains "SUBSCRIBE""#, false),
        ("started > now - 15m", true), ("started > now - 1m", false), ("started < now", true),
        ("started < now + 1h", true), ("started >= now-100s", true),
        ("started in [now - 100s]", true),
    ])
    func comparisons(text: String, expected: Bool) {
        #expect(stored(text, exchange()) == expected)
        #expect(stored("not \(text)", exchange()) == !expected)
    }

    @Test(arguments: [
        "request.cookie[\"a\"] exists", "response.cookie[\"a\"] exists", "json \"$\" exists",
        "request.json \"$\" exists", "response.json \"$\" exists", "correlation exists",
        "message.text exists", "note exists", "mark exists", "any contains \"zebra\"",
    ])
    func absentPartsDoNotMatch(text: String) {
        #expect(stored(text, Samples.bare()) == false)
    }

    @Test func codedBodiesAreDecodedAndOthersAreAbsent() throws {
        var exchange = Samples.bare()
        exchange.request.body = Body(
            bytes: try ContentCoding.gzip.encode(Array(#"{"a":"needle"}"#.utf8).span),
            size: nil,
            coding: "gzip"
        )
        #expect(stored(#"json "$.a" == "needle""#, exchange) == true)
        #expect(stored(#"any contains "needle""#, exchange) == true)
        exchange.request.body = Body(Array(#"{"a":"needle""#.utf8))
        #expect(stored(#"json "$.a" exists"#, exchange) == false)
        #expect(stored(#"any contains "needle""#, exchange) == true)
    }

    @Test(arguments: [
        ErrorCase("note exists", "note", "'note' is known in stores only"),
        ErrorCase("status == 1 or mark == \"a\"", "mark", "'mark' is known in stores only"),
        ErrorCase(
            "started > now - 15m",
            "now",
            "'now' is not known here; write a time as a string"
        ),
        ErrorCase("any == \"a\"", "==", "unexpected '=='; 'any' is used with 'contains' only"),
        ErrorCase(
            "any exists",
            "exists",
            "unexpected 'exists'; 'any' is used with 'contains' only"
        ),
        ErrorCase(
            "json \"a\" exists",
            "\"a\"",
            "bad JSON path; expected, for example, \"$.items[0].id\" or \"$.items[*].id\""
        ),
        ErrorCase(
            "json[\"$[\"] exists",
            "[\"$[\"]",
            "bad JSON path; expected, for example, \"$.items[0].id\" or \"$.items[*].id\""
        ),
        ErrorCase(
            "json exists",
            "exists",
            "unexpected 'exists'; expected '[' after 'json'",
            help: "write json[\"…\"]"
        ),
        ErrorCase(
            "json \"$.a\" == host",
            "host",
            "unexpected 'host'; 'json' is compared with a string or a number",
            help: "write the field on the left and the value on the right"
        ),
        ErrorCase("json \"$.a\" == 5ms", "ms", "'json' is a number without a unit"),
        ErrorCase(
            "cookie[\"a\"] exists",
            "cookie",
            "unknown field 'cookie'",
            help: "write 'request.cookie' or 'response.cookie'"
        ),
        ErrorCase("rout == \"/a\"", "rout", "unknown field 'rout'", help: "did you mean 'route'?"),
        ErrorCase(
            "request.cokie[\"a\"] exists",
            "request.cokie",
            "unknown field 'request.cokie'",
            help: "did you mean 'request.cookie'?"
        ),
    ])
    func rejectsWrongUse(wrong: ErrorCase) {
        expectFailure(wrong)
    }

    @Test(arguments: ["now -", "now - 5", "now - \"a\"", "now - -5m", "now + now", "now - 9e18d"])
    func badRelativeTimesAreErrors(time: String) {
        #expect(stored("started > \(time)", Samples.bare()) == nil)
    }
}
