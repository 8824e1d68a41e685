// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTestRunner

/// A pipeline for tests that never run.
private let any = pipeline("function request(ex) end")

@Suite("A test file")
struct TestFileTests {
    @Test("with many mistakes is reported with all of them at once, each with its place")
    func all() throws {
        let ran = try run(
            """
            pipeline: pipeline.yaml
            clok: 2026-01-01T00:00:00Z
            tests:
              - name: one
                exchange: { request: shop.test/cart, respons: 200 }
                expect: { server: { headers: { cookie: null } }, tgas: {} }
              - exchange: { request: GET https://shop.test/, response: { status: 99 } }
                expect: { delayed: 250 }
              - name: two
                exchange: { file: shop.har, state: failed }
                expect: { matches: { server.hedaers.x: a, client: a, json.a: a }, absent: [headers] }
            """,
            any
        )
        #expect(ran.results.isEmpty)
        #expect(ran.diagnostics == Self.reported)
    }

    private static let reported = """
        a.test.yaml:2:1: error: unknown option 'clok' in 'the test file'; expected pipeline, stages, set, env, clock, seed, tests
            2 | clok: 2026-01-01T00:00:00Z
              | ^~~~
        help: did you mean 'clock'?
        a.test.yaml:5:26: error: wrong type of value; found 'shop.test/cart', expected a line such as 'GET https://shop.test/cart'
            5 |     exchange: { request: shop.test/cart, respons: 200 }
              |                          ^~~~~~~~~~~~~~
        a.test.yaml:5:42: error: unknown option 'respons' in 'exchange'; expected request, response, state, error, started, duration, source, client, server, tags, messages, file, where, index
            5 |     exchange: { request: shop.test/cart, respons: 200 }
              |                                          ^~~~~~~
        help: did you mean 'response'?
        a.test.yaml:6:44: error: wrong type of value; found nothing, expected text or a list of texts
            6 |     expect: { server: { headers: { cookie: null } }, tgas: {} }
              |                                            ^~~~
        help: list what must not exist under 'absent'
        a.test.yaml:6:54: error: unknown option 'tgas' in 'expect'; expected server, client, request, response, tags, state, error, original, messages, source, id, started, dropped, responded, aborted, delayed, failed, log, matches, contains, absent, exactly
            6 |     expect: { server: { headers: { cookie: null } }, tgas: {} }
              |                                                      ^~~~
        help: did you mean 'tags'?
        a.test.yaml:7:5: error: option 'name' is missing in 'tests'; expected text
            7 |   - exchange: { request: GET https://shop.test/, response: { status: 99 } }
              |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        help: add 'name: adds the team header'
        a.test.yaml:7:70: error: the number is out of range; found 99, expected a whole number from 100 to 999
            7 |   - exchange: { request: GET https://shop.test/, response: { status: 99 } }
              |                                                                      ^~
        a.test.yaml:8:24: error: the unit is missing; found '250', expected a time with its unit, such as 250ms
            8 |     expect: { delayed: 250 }
              |                        ^~~
        help: write '250s' if that is what you mean
        a.test.yaml:10:23: error: an exchange is either read from a file or given here; found 'file' and 'state'
           10 |     exchange: { file: shop.har, state: failed }
              |                       ^~~~~~~~
        a.test.yaml:11:26: error: unknown field 'hedaers'; expected method, url, scheme, host, port, path, query, target, form, version, headers, body, json, trailers, size, truncated, coding
           11 |     expect: { matches: { server.hedaers.x: a, client: a, json.a: a }, absent: [headers] }
              |                          ^~~~~~~~~~~~~~~~
        help: did you mean 'headers'?
        a.test.yaml:11:47: error: the path names no field; found 'client', expected a path such as 'client.status'
           11 |     expect: { matches: { server.hedaers.x: a, client: a, json.a: a }, absent: [headers] }
              |                                               ^~~~~~
        a.test.yaml:11:58: error: unknown field 'json'; expected server, client, request, response, tags, state, error, original, messages, source, id, started
           11 |     expect: { matches: { server.hedaers.x: a, client: a, json.a: a }, absent: [headers] }
              |                                                          ^~~~~~
        a.test.yaml:11:80: error: unknown field 'headers'; expected server, client, request, response, tags, state, error, original, messages, source, id, started
           11 |     expect: { matches: { server.hedaers.x: a, client: a, json.a: a }, absent: [headers] }
              |                                                                                ^~~~~~~

        """

    /// Mistakes, and the message for each.
    static let mistakes = [
        ("{ request: /cart }", "{ state: completed }", "expected a line such as 'GET https://"),
        (
            "{ request: { url: /cart } }", "{ state: completed }",
            "the URL is incomplete; found '/cart'"
        ),
        ("{ request: { method: GET } }", "{ state: completed }", "option 'url' is missing"),
        ("{ response: 200 }", "{ state: completed }", "the exchange has no request"),
        (
            "{ where: status == 200 }", "{ state: completed }",
            "this selects from a recording, but there is no 'file'"
        ),
        (
            "{ request: { url: 'http://a/', body: a, json: 1 } }", "{ state: completed }",
            "two bodies; expected one of body, json, form and base64"
        ),
        (
            "{ request: { url: 'http://a/', base64: '?' } }", "{ state: completed }",
            "the text is not valid base64"
        ),
        (
            "{ file: no.har }", "{ state: completed }",
            "error: cannot open 'no.har'; no such file or directory"
        ),
        (
            "{ file: no.har, request: GET http://a/ }", "{ state: completed }",
            "found 'file' and 'request'"
        ),
        ("{ request: GET http://a/ }", "{ }", "'expect' is missing or empty"),
        ("{ request: GET http://a/ }", "{ matches: { id: '(' } }", "2:85: error: missing ): '('"),
        ("{ request: GET http://a/ }", "{ matches: { hedaers.a: b } }", "unknown field 'hedaers'"),
        (
            "{ request: GET http://a/ }", "{ matches: { server.hedaers.a: b } }",
            "help: did you mean 'headers'?"
        ),
        ("{ request: GET http://a/ }", "{ matches: { server: b } }", "the path names no field"),
        ("{ request: GET http://a/ }", "{ absent: [state.a] }", "invalid path after 'state'"),
        ("{ request: GET http://a/ }", "{ absent: ['error[x]'] }", "invalid path after 'error'"),
        (
            "{ request: GET http://a/ }", "{ exactly: { client.status: many } }",
            "found 'many', expected a whole number"
        ),
        ("{ request: GET http://a/ }", "{ client: { status: many } }", "expected a whole number"),
        ("{ request: GET http://a/ }", "{ delayed: 5 }", "the unit is missing; found '5'"),
        ("{ request: GET http://a/ }", "{ responded: yes }", "expected true or false or response"),
        ("{ request: GET http://a/ }", "{ dropped: [] }", "expected true or false or text"),
        ("{ request: GET http://a/ }", "{ dropped: { bye: lua } }", "did you mean 'by'?"),
        (
            "{ request: GET http://a/ }", "{ responded: { stauts: 200 } }",
            "unknown option 'stauts' in 'responded'"
        ),
    ]

    @Test("is refused with a message about a wrong exchange or expectation", arguments: mistakes)
    func mistake(exchange: String, expectation: String, message: String) throws {
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests: [{ name: it, exchange: \(exchange), expect: \(expectation) }]
            """,
            any
        )
        #expect(ran.results.isEmpty)
        #expect(ran.diagnostics.contains(message), "\(ran.diagnostics)")
        #expect(ran.diagnostics.contains("a.test.yaml:2:"), "\(ran.diagnostics)")
    }

    @Test("needs tests with unique names, and a pipeline")
    func whole() throws {
        #expect(try run("tests: []", any).diagnostics.contains("the list is empty"))
        #expect(try run("tests: []", any).diagnostics.contains("option 'pipeline' is missing"))
        let missing = try run("pipeline: p.yaml\ntests: [{ name: a }]", any).diagnostics
        #expect(missing.contains("a.test.yaml:2:9: error: 'exchange' is missing"))
        let test = "{ name: a, exchange: { request: GET http://a/ }, expect: { failed: false } }"
        let twice = try run("pipeline: pipeline.yaml\ntests: [\(test), \(test)]", any).diagnostics
        #expect(twice.contains("two tests have the name 'a'; the other is in line 2"))
        let nowhere = try run("pipeline: nowhere.yaml\ntests: [\(test)]", any).diagnostics
        #expect(nowhere.contains("a.test.yaml:1:11: error: cannot open 'nowhere.yaml'"))
        let both = try run(
            "pipeline: pipeline.yaml\ntests: [{ name: a, exchange: { request: GET http://a/ }, "
                + "steps: [{ exchange: { request: GET http://a/ }, expect: { failed: false } }] }]",
            any
        )
        #expect(both.diagnostics.contains("the test has both 'steps' and an exchange"))
    }

    @Test("reports mistakes in its pipeline and its settings, once each")
    func inPipeline() throws {
        let test = "exchange: { request: GET http://a/ }, expect: { failed: false }"
        let broken = try run(
            "pipeline: pipeline.yaml\ntests: [{ name: a, \(test) }, { name: b, \(test) }]",
            any.replacing("lua:", with: "lau:")
        )
        #expect(broken.results.isEmpty)
        #expect(broken.diagnostics.hasPrefix("pipeline.yaml:4:5: error: unknown stage 'lau'"))
        #expect(broken.diagnostics.components(of: "unknown stage") == 1)
        let set = try run(
            """
            pipeline: pipeline.yaml
            tests:
              - { name: a, \(test), stages: [lau] }
              - { name: b, \(test), set: { lua.max_tiem: 1s } }
              - { name: c, \(test), set: { lau.max_time: 1s } }
              - { name: d, \(test), set: { lua: 1s } }
            """,
            any
        )
        #expect(set.diagnostics.contains("a.test.yaml:6:88: error: invalid option name"))
        let rest = try run(
            """
            pipeline: pipeline.yaml
            tests:
              - { name: a, \(test), stages: [lau] }
              - { name: b, \(test), set: { lua.max_tiem: 1s } }
              - { name: c, \(test), set: { lau.max_time: 1s } }
            """,
            any
        )
        #expect(rest.diagnostics.contains("3:90: error: unknown stage 'lau'; expected one of lua"))
        #expect(rest.diagnostics.contains("4:88: error: unknown option 'max_tiem' in 'lua'"))
        #expect(rest.diagnostics.contains("5:88: error: unknown component 'lau'"))
    }
}

extension String {
    /// How often a text occurs in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
