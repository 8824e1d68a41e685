// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

@testable import TaplineTestRunner

/// The exchange that the expectations in this file are about.
private let exchange = """
    {
      request: { method: POST, url: "https://shop.test/cart?x=1&y=a%20b&x=2",
                 headers: { Cookie: [a=1, b=2], X-Id: "7" },
                 json: { user: { id: 7, name: Ann }, list: [1, 2] },
                 trailers: { X-Sum: abc } },
      response: { status: 201, reason: Created, headers: { X-Rate: "10" }, body: "hello\\nworld" },
      tags: { team: checkout }, messages: [{ dir: up, json: { a: 1 } }]
    }
    """

/// Scripts with the verdicts that are expected.
private enum Script {
    static let quiet = "function request(ex) log('seen it') end"
    static let answers =
        "function request(ex) return respond{status = 429, json = {slow = true}} end"
    static let drops = "function record(ex) return drop('health check') end"
    static let aborts = "function request(ex) return abort() end"
    static let delays = "function request(ex) return delay(0.25) end"
    static let fails = "function request(ex) local x = nil; x.y = 1 end"
    static let breaks = "function record(ex) local x = nil; x.y = 1 end"
    static let maps = "function request(ex) ex.request.host = 'staging.test' end"
    static let posts = """
        function request(ex)
          ex.request.headers["Content-Type"] = "application/x-www-form-urlencoded"
          ex.request.body = "name=Ann+B&x=%41"
        end
        """
}

/// An expectation that is met, one of the same kind that is not, and the script that runs before
/// them.
struct Pair: Sendable, CustomTestStringConvertible {
    let holds: String
    let fails: String
    var script = Script.quiet
    var testDescription: String { holds }
}

@Suite("The expectation evaluator")
struct ExpectationEvaluatorTests {
    static let pairs = [
        Pair(holds: "{ server: { method: POST } }", fails: "{ server: { method: post } }"),
        Pair(
            holds: "{ server: { url: \"https://shop.test/cart?x=1&y=a%20b&x=2\" } }",
            fails: "{ server: { url: \"https://shop.test/cart\" } }"
        ),
        Pair(holds: "{ server: { scheme: https } }", fails: "{ server: { scheme: http } }"),
        Pair(holds: "{ server: { host: shop.test } }", fails: "{ server: { host: shop } }"),
        Pair(holds: "{ server: { port: 443 } }", fails: "{ server: { port: 80 } }"),
        Pair(holds: "{ server: { path: /cart } }", fails: "{ server: { path: /cart/ } }"),
        Pair(holds: "{ server: { query: { y: a b } } }", fails: "{ server: { query: { y: a } } }"),
        Pair(
            holds: "{ server: { query: { x: [1, 2] } } }",
            fails: "{ server: { query: { x: 1 } } }"
        ),
        Pair(
            holds: "{ server: { target: \"/cart?x=1&y=a%20b&x=2\" } }",
            fails: "{ server: { target: /cart } }"
        ),
        Pair(
            holds: "{ server: { version: HTTP/1.1 } }",
            fails: "{ server: { version: HTTP/2 } }"
        ),
        Pair(
            holds: "{ server: { headers: { x-id: 7 } } }",
            fails: "{ server: { headers: { x-id: 8 } } }"
        ),
        Pair(
            holds: "{ server: { headers: { cookie: [a=1, b=2] } } }",
            fails: "{ server: { headers: { cookie: [b=2, a=1] } } }"
        ),
        Pair(
            holds: "{ server: { json: { user: { id: 7.0 } } } }",
            fails: "{ server: { json: { user: { id: \"7\" } } } }"
        ),
        Pair(
            holds: "{ request: { json: { list: [1, 2] } } }",
            fails: "{ request: { json: { list: [2, 1] } } }"
        ),
        Pair(holds: "{ server: { size: 43 } }", fails: "{ server: { size: 42 } }"),
        Pair(holds: "{ server: { truncated: false } }", fails: "{ server: { truncated: true } }"),
        Pair(holds: "{ server: { coding: '' } }", fails: "{ server: { coding: gzip } }"),
        Pair(holds: "{ client: { status: 201 } }", fails: "{ client: { status: 200 } }"),
        Pair(holds: "{ client: { reason: Created } }", fails: "{ client: { reason: OK } }"),
        Pair(
            holds: "{ response: { body: \"hello\\nworld\" } }",
            fails: "{ response: { body: \"hello\\nmoon\" } }"
        ),
        Pair(
            holds: "{ response: { headers: { X-RATE: 10 } } }",
            fails: "{ response: { headers: { X-None: 10 } } }"
        ),
        Pair(
            holds: "{ tags: { team: checkout } }",
            fails: "{ tags: { team: search } }"
        ),
        Pair(holds: "{ state: completed }", fails: "{ state: failed }"),
        Pair(holds: "{ source: test }", fails: "{ source: proxy }"),
        Pair(
            holds: "{ messages: [{ dir: up, json: { a: 1 } }] }",
            fails: "{ messages: [{ dir: down }] }"
        ),
        Pair(
            holds: "{ id: 019b76da-a800-7000-8000-000000000000 }",
            fails: "{ id: 019b76da-a800-7000-8000-000000000001 }"
        ),
        Pair(
            holds: "{ started: 2026-01-01T00:00:00.000000Z }",
            fails: "{ started: 2026-01-01T00:00:00Z }"
        ),
        Pair(
            holds: "{ matches: { server.headers.cookie: '^b=' } }",
            fails: "{ matches: { server.headers.cookie: '^c=' } }"
        ),
        Pair(
            holds: "{ request: { matches: { json.user.name: 'n+$' } } }",
            fails: "{ request: { matches: { json.user.none: '.*' } } }"
        ),
        Pair(
            holds: "{ contains: { response.body: world } }",
            fails: "{ contains: { response.body: moon } }"
        ),
        Pair(
            holds: "{ absent: [server.headers.authorization] }",
            fails: "{ absent: [server.headers.cookie] }"
        ),
        Pair(
            holds: "{ server: { absent: json.user.password } }",
            fails: "{ server: { absent: json.user.id } }"
        ),
        Pair(holds: "{ absent: [tags.debug] }", fails: "{ absent: [tags.team] }"),
        Pair(holds: "{ absent: [error] }", fails: "{ absent: [state] }"),
        Pair(
            holds: "{ exactly: { server.json.user: { name: Ann, id: 7 } } }",
            fails: "{ exactly: { server.json.user: { id: 7 } } }"
        ),
        Pair(
            holds: "{ exactly: { tags: { team: checkout } } }",
            fails: "{ exactly: { tags: { } } }"
        ),
        Pair(
            holds: "{ exactly: { client.headers: { x-rate: 10, content-length: 11 } } }",
            fails: "{ exactly: { client.headers: { x-rate: 10 } } }"
        ),
        Pair(holds: "{ log: seen }", fails: "{ log: [seen, heard] }"),
        Pair(holds: "{ responded: false }", fails: "{ responded: true }"),
        Pair(holds: "{ responded: true }", fails: "{ responded: false }", script: Script.answers),
        Pair(
            holds: "{ responded: { status: 429, json: { slow: true } } }",
            fails: "{ responded: { status: 429, json: { slow: false } } }",
            script: Script.answers
        ),
        Pair(
            holds: "{ response: { status: 429 } }",
            fails: "{ server: { method: POST } }",
            script: Script.answers
        ),
        Pair(holds: "{ dropped: true }", fails: "{ dropped: false }", script: Script.drops),
        Pair(
            holds: "{ dropped: health check }",
            fails: "{ dropped: health }",
            script: Script.drops
        ),
        Pair(
            holds: "{ dropped: { by: lua } }",
            fails: "{ dropped: { by: redact } }",
            script: Script.drops
        ),
        Pair(
            holds: "{ dropped: { reason: health check } }",
            fails: "{ client: { status: 201 } }",
            script: Script.drops
        ),
        Pair(holds: "{ dropped: false }", fails: "{ dropped: true }"),
        Pair(
            holds: "{ dropped: true, server: { method: POST } }",
            fails: "{ dropped: true, request: { method: POST } }",
            script: Script.drops
        ),
        Pair(holds: "{ aborted: true }", fails: "{ aborted: false }", script: Script.aborts),
        Pair(
            holds: "{ aborted: true, state: cancelled, error: { code: aborted } }",
            fails: "{ state: cancelled }",
            script: Script.aborts
        ),
        Pair(
            holds: "{ aborted: true, absent: [tags.x] }",
            fails: "{ aborted: true, absent: [client.body] }",
            script: Script.aborts
        ),
        Pair(holds: "{ aborted: false }", fails: "{ aborted: true }"),
        Pair(holds: "{ delayed: 250ms }", fails: "{ delayed: 251ms }", script: Script.delays),
        Pair(holds: "{ delayed: 0s }", fails: "{ delayed: 1us }"),
        Pair(holds: "{ failed: true }", fails: "{ failed: false }", script: Script.fails),
        Pair(
            holds: "{ failed: index a nil value }",
            fails: "{ failed: no such message }",
            script: Script.fails
        ),
        Pair(holds: "{ failed: false }", fails: "{ failed: true }"),
        Pair(
            holds: "{ failed: true, response: { status: 201 } }",
            fails: "{ response: { status: 201 } }",
            script: Script.fails
        ),
        Pair(
            holds: "{ failed: true, client: { status: 201 } }",
            fails: "{ failed: true, response: { status: 201 } }",
            script: Script.breaks
        ),
        Pair(
            holds: "{ original: { url: \"https://shop.test/cart?x=1&y=a%20b&x=2\" } }",
            fails: "{ original: { url: \"https://shop.test/\" } }",
            script: Script.maps
        ),
        Pair(
            holds: "{ error: { code: aborted }, aborted: true }",
            fails: "{ error: { code: reset }, aborted: true }",
            script: Script.aborts
        ),
        Pair(
            holds: "{ server: { form: { name: Ann B, x: A } } }",
            fails: "{ server: { form: { name: Ann } } }",
            script: Script.posts
        ),
        Pair(
            holds: "{ server: { trailers: { x-sum: abc } } }",
            fails: "{ server: { trailers: { x-sum: abd } } }"
        ),
        Pair(
            holds: "{ failed: true, dropped: false }",
            fails: "{ failed: true, dropped: true }",
            script: Script.breaks
        ),
    ]

    @Test("passes an expectation that is met", arguments: pairs)
    func holds(pair: Pair) throws {
        let ran = try expecting(pair.holds, of: exchange, after: pair.script)
        #expect(ran.isPassed, "\(ran.diagnostics)\(ran.text)")
    }

    @Test("fails an expectation of every kind that is not met", arguments: pairs)
    func fails(pair: Pair) throws {
        let ran = try expecting(pair.fails, of: exchange, after: pair.script)
        #expect(ran.diagnostics == "")
        #expect(ran.results.count == 1)
        #expect(!ran.isPassed, "\(pair.fails)")
    }

    @Test("has a pair for each field and each verdict")
    func allKinds() {
        let text = Self.pairs.map(\.fails).joined()
        let names =
            ObservedField.ofRequests.map(\.name) + ObservedField.ofResponses.map(\.name)
            + ExpectationKeys.schema.keys.map(\.name)
        let uncovered = Set(names.filter { !text.contains("\($0): ") && !text.contains(".\($0)") })
        #expect(uncovered == [])
    }
}
