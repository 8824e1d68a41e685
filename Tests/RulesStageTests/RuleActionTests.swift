// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import RulesStage

@Suite("The actions of rules") struct RuleActionTests {
    @Test("answer with status, fields and content")
    func respond() throws {
        let result = try RuleText.evaluate(
            """
              - name: down
                when: path like "/cart*"
                actions:
                  - respond:
                      status: 503
                      headers: { Content-Type: application/json, Set-Cookie: [a=1, b=2] }
                      body: '{"item":"{{request.query.item}}"}'
              - actions: [set: { tag.later: "yes" }]
            """,
            .request("http://shop.test/cart?item=a%22b%0A", response: .json("{}"))
        )
        let response = try #require(result.exchange.response)
        #expect(result.isAnswered)
        #expect(response.status == 503)
        #expect(response.reason == "Service Unavailable")
        #expect(response.fields.all("set-cookie") == ["a=1", "b=2"])
        #expect(result.exchange.responseText == #"{"item":"a\"b\n"}"#)
        #expect(response.fields.first("content-length") == "17")
        #expect(result.hits.map(\.name) == ["down"])
        #expect(result.hits.map(\.actions) == [["respond with 503"]])
        #expect(result.exchange.tags.isEmpty)
    }

    @Test("answer with a file beside the rules")
    func file() throws {
        let folder = try TemporaryFolder()
        try withExtendedLifetime(folder) {
            let path = try folder.write([0xFF, 0x7B, 0x7B], to: "{{id}}.bin")
            let set = try RuleText.parse("  - actions: [respond: { file: '\(path)' }]")
            #expect(set.files == [path])
            let result = set.evaluate(.request("http://a.test/"))
            #expect(result.exchange.response?.body.bytes == [0xFF, 0x7B, 0x7B])
            #expect(result.exchange.response?.status == 200)
        }
    }

    @Test(
        "send the request elsewhere",
        arguments: [
            ("{ host: b.test }", "http://a.test:81/x?y=1", "http://b.test:81/x?y=1", "b.test:81"),
            ("{ host: b.test, port: 80 }", "http://a.test:81/", "http://b.test/", "b.test"),
            ("{ port: 443 }", "http://a.test/", "http://a.test:443/", "a.test:443"),
            ("{ scheme: https, port: 443 }", "http://a.test:8/", "https://a.test/", "a.test"),
            ("{ scheme: https }", "http://a.test/", "https://a.test/", "a.test"),
            ("{ host: '[::1]' }", "http://a.test:1/", "http://[::1]:1/", "[::1]:1"),
            ("{ path: /v2 }", "http://a.test/x?y=1", "http://a.test/v2?y=1", "a.test"),
            ("{ path: '/v2?z=2' }", "http://a.test/x?y=1", "http://a.test/v2?z=2", "a.test"),
            (
                "{ path: '/v2{{request.path}}' }", "http://a.test/a%2Fb", "http://a.test/v2/a%2Fb",
                "a.test"
            ),
            (
                "{ path: '{{request.query.p}}' }", "http://a.test/?p=a/b%20c",
                "http://a.test/a%2Fb%20c?p=a/b%20c", "a.test"
            ),
        ] as [(String, String, ByteString, ByteString)]
    )
    func map(target: String, url: String, expected: ByteString, host: ByteString) throws {
        let result = try RuleText.evaluate("  - actions: [map: \(target)]", .request(url))
        #expect(result.exchange.request.url == expected)
        #expect(result.exchange.request.fields.first("host") == host)
    }

    @Test("keep the form of an absolute target")
    func absoluteTarget() throws {
        var exchange = Exchange.request("http://a.test/x")
        exchange.request.target = "http://a.test/x?y"
        let result = try RuleText.evaluate(
            "  - actions: [map: { host: b.test, path: /z }]",
            exchange
        )
        #expect(result.exchange.request.target == "http://b.test/z?y")
        #expect(result.exchange.request.authority == "b.test")
    }

    @Test("set and remove parts of the request")
    func setRequest() throws {
        let result = try RuleText.evaluate(
            """
              - actions:
                  - set:
                      request.method: PUT
                      request.path: "/p {{request.method}}"
                      request.query.new: "a b"
                      request.header.X-Old: "{{request.header.x-old}}+"
                      request.header.X-New: "1"
                      request.body: "id={{id}}"
                      tag.host: "{{request.host}}"
                  - remove: [request.query.gone, request.header.Cookie]
            """,
            .request(
                "http://a.test/x?gone=1&kept=2",
                method: "POST",
                fields: ["X-Old": "0", "Cookie": "a", "cookie": "b", "Content-Encoding": "gzip"],
                body: "zzz"
            )
        )
        let request = result.exchange.request
        #expect(request.method == "PUT")
        #expect(request.target == "/p%20PUT?kept=2&new=a%20b")
        #expect(request.fields.first("x-old") == "0+")
        #expect(request.fields.first("x-new") == "1")
        #expect(!request.fields.contains("cookie"))
        #expect(!request.fields.contains("content-encoding"))
        #expect(request.fields.first("content-length") == "39")
        #expect(result.exchange.requestText == "id=\(result.exchange.id)")
        #expect(result.exchange.tags["host"] == "a.test")
    }

    @Test("set and remove parts of the response, whichever hook decides the rule")
    func setResponse() throws {
        for condition in ["path == \"/x\"", "status == 200"] {
            let result = try RuleText.evaluate(
                """
                  - when: \(condition)
                    actions:
                      - set: { response.status: 404, response.header.X: "{{response.status}}" }
                      - set: { response.body: "gone {{request.path}}" }
                      - remove: response.header.Server
                """,
                .request(
                    "http://a.test/x",
                    response: Response(fields: ["Server": "s", "ETag": "t"])
                )
            )
            let response = try #require(result.exchange.response)
            #expect(response.status == 404)
            #expect(response.reason == "Not Found")
            #expect(response.fields.first("x") == "404")
            #expect(!response.fields.contains("server"))
            #expect(!response.fields.contains("etag"))
            #expect(result.exchange.responseText == "gone /x")
            #expect(result.hits.count == 1)
        }
    }

    @Test("escape values in a new body of JSON")
    func jsonBody() throws {
        let result = try RuleText.evaluate(
            "  - actions: [set: { response.body: '{\"v\":\"{{request.query.v}}\"}' }]",
            .request("http://a.test/?v=%22", response: .json("{}"))
        )
        #expect(result.exchange.responseText == #"{"v":"\""}"#)
    }

    @Test("keep line breaks out of fields")
    func injection() throws {
        let result = try RuleText.evaluate(
            "  - actions: [set: { request.header.X: \"a{{request.query.v}}\" }]",
            .request("http://a.test/?v=1%0D%0AY:%202")
        )
        #expect(result.exchange.request.fields.first("x") == "a1Y: 2")
        #expect(!result.exchange.request.fields.contains("y"))
    }

    @Test("delay by a fixed time, and by one within a range")
    func delay() throws {
        let rules = "  - actions: [delay: 250ms, delay: { min: 1s, max: 2s }]"
        let set = try RuleText.parse(rules)
        var times: Set<Int64> = []
        for number in 1...50 {
            let exchange = Exchange.request("http://a.test/", number: UInt64(number))
            let delay = set.evaluate(exchange).delay.count
            #expect(delay == set.evaluate(exchange).delay.count)
            #expect(1_250_000...2_250_000 ~= delay)
            times.insert(delay)
        }
        #expect(times.count > 40)
    }

    @Test("limit the speed, each way by the last rule that says so")
    func throttle() throws {
        let result = try RuleText.evaluate(
            """
              - actions: [throttle: 1KiB]
              - actions: [throttle: { down: 2KiB }]
              - when: status == 200
                actions: [throttle: { down: 3KiB }]
            """,
            .request("http://a.test/", response: .json("{}"))
        )
        #expect(result.throttle.up == 1024)
        #expect(result.throttle.down == 3072)
    }

    @Test("fail exchanges, or a share of them")
    func fail() throws {
        let reset = try RuleText.evaluate("  - actions: [fail: reset]", .request("http://a.test/"))
        #expect(reset.failure?.code == "reset")
        #expect(reset.delay.count == 0)
        #expect(reset.exchange.state == .failed)
        let late = try RuleText.evaluate("  - actions: [fail: timeout]", .request("http://a.test/"))
        #expect(late.failure?.code == "timeout")
        #expect(late.delay.count == 30_000_000)
        let status = try RuleText.evaluate(
            "  - when: status == 200\n    actions: [fail: { status: 502, after: 1s }]",
            .request("http://a.test/", response: .json("{}"))
        )
        #expect(status.exchange.response?.status == 502)
        #expect(status.exchange.responseText == "")
        #expect(status.delay.count == 1_000_000)

        let set = try RuleText.parse("  - actions: [fail: { error: reset, share: 0.25 }]")
        var failed = 0
        for number in 1...1000 {
            let exchange = Exchange.request("http://a.test/", number: UInt64(number))
            if set.evaluate(exchange).failure != nil { failed += 1 }
        }
        #expect(200...300 ~= failed)
    }

    @Test("stop the rules after theirs")
    func stop() throws {
        let rules = """
              - { name: errors, when: status >= 400, actions: [set: { tag.a: "1" }] }
              - { name: real, when: path == "/pay", actions: [pass] }
              - { name: last, when: path == "/last", actions: [set: { tag.b: "1" }, stop] }
              - { name: rest, actions: [set: { response.header.C: "1" }] }
              - { name: late, when: status >= 400, actions: [set: { tag.d: "1" }] }
            """
        let set = try RuleText.parse(rules)
        func hits(_ path: String) -> [String] {
            let response = Response(status: 404)
            return set.evaluate(.request("http://a.test\(path)", response: response))
                .hits.map(\.name)
        }
        #expect(hits("/pay") == ["real", "errors"])
        #expect(hits("/last") == ["last", "errors"])
        #expect(hits("/") == ["rest", "errors", "late"])
    }

    @Test("of later rules see what earlier ones have changed")
    func order() throws {
        let result = try RuleText.evaluate(
            """
              - { when: host == "a.test", actions: [map: { host: b.test }] }
              - { when: host == "b.test", actions: [set: { request.header.X: seen }] }
              - { when: status == 200, actions: [respond: { status: 500 }] }
              - { when: status == 500, actions: [set: { response.header.Y: seen }] }
            """,
            .request("http://a.test/", response: .json("{}"))
        )
        #expect(result.exchange.request.fields.first("x") == "seen")
        #expect(result.exchange.response?.fields.first("y") == "seen")
    }
}
