// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTestRunner

@Suite("A difference")
struct MismatchTests {
    @Test("shows both values, one below the other, at the place of the expectation")
    func values() throws {
        let ran = try expecting("{ server: { url: https://shop.test/card } }")
        #expect(
            ran.text
                == """
                it
                a.test.yaml:4:31: error: 'server.url' differs
                    5 |     expect: { server: { url: https://shop.test/card } }
                      |                              ^~~~~~~~~~~~~~~~~~~~~~
                  expected: "https://shop.test/card"
                     found: "https://shop.test/cart"

                """.replacing("yaml:4:31", with: "yaml:5:30")
        )
    }

    /// Expectations, and the message for each after the place.
    static let texts = [
        (
            "{ client: { status: 201 } }",
            "error: 'client.status' differs\n", "  expected: 201\n     found: 200\n"
        ),
        (
            "{ client: { json: { a: 1 } } }",
            "error: 'client.json' is missing: the body is empty\n", ""
        ),
        (
            "{ server: { headers: { x-none: 1 } } }",
            "error: 'server.headers.x-none' is missing\n", ""
        ),
        (
            "{ absent: server.headers.host }",
            "error: 'server.headers.host' must not exist\n",
            "     found: \"shop.test\"\n"
        ),
        (
            "{ matches: { server.url: '^http:' } }",
            "error: 'server.url' does not match the expected pattern\n",
            "  expected: ^http:\n     found: https://shop.test/cart\n"
        ),
        (
            "{ contains: { server.path: card } }",
            "error: 'server.path' does not contain the expected text\n",
            "  expected: card\n     found: /cart\n"
        ),
        (
            "{ exactly: { server.headers: {} } }",
            "error: 'server.headers' differs\n",
            "  expected: {}\n     found: {\"host\":\"shop.test\"}\n"
        ),
        ("{ dropped: true }", "error: the record was kept\n", ""),
        ("{ aborted: true }", "error: no stage closed the connection\n", ""),
        (
            "{ responded: true }",
            "error: no stage answered: the request goes to the server\n", ""
        ),
        (
            "{ delayed: 1500ms }", "error: the delay differs\n",
            "  expected: 1500ms\n     found: none\n"
        ),
        ("{ failed: true }", "error: no hook failed\n", ""),
        (
            "{ log: hello }", "error: no log line contains the expected text\n",
            "  expected: hello\n     found: nothing logged\n"
        ),
    ]

    @Test("describes what differs", arguments: texts)
    func words(expectation: String, message: String, values: String) throws {
        let ran = try expecting(expectation)
        #expect(ran.text.contains(message), "\(ran.diagnostics)\(ran.text)")
        #expect(ran.text.hasSuffix(values), "\(ran.text)")
        #expect(values.isEmpty == !ran.text.contains("found:"), "\(ran.text)")
    }

    @Test("shows only the lines of a text that differ, with some context")
    func lines() throws {
        let found = (1...20).map { "line \($0)" }.joined(separator: "\\n")
        let expected = found.replacing("line 10\\n", with: "line ten\\n")
        let ran = try expecting(
            "{ client: { body: \"\(expected)\" } }",
            of: "{ request: GET http://a/, response: { body: \"\(found)\" } }"
        )
        #expect(
            ran.text.contains(
                """
                  - expected + found
                    …
                    line 8
                    line 9
                  - line ten
                  + line 10
                    line 11
                    line 12
                    …
                """
            ),
            "\(ran.text)"
        )
    }

    @Test("gives a hint if only quotes are wrong")
    func quotes() throws {
        let exchange =
            "{ request: GET http://a/, response: { json: { n: 7, t: \"7\", f: \"true\" } } }"
        let number = try expecting("{ client: { json: { n: \"7\" } } }", of: exchange)
        #expect(number.text.contains("help: remove the quotes if you mean a number"))
        let text = try expecting("{ client: { json: { t: 7, f: true } } }", of: exchange)
        #expect(text.text.ranges(of: "help: put it in quotes if text is meant").count == 2)
    }

    @Test("shows only a window of long values, and no control characters")
    func bounded() throws {
        let long = String(repeating: "x", count: 100_000)
        let ran = try expecting(
            "{ client: { body: \"\(long)a\" } }",
            of: "{ request: GET http://a/, response: { body: \"\(long)b\" } }"
        )
        #expect(ran.text.contains("xxxa\"\n"), "the part that differs is shown")
        #expect(ran.text.contains("xxxb\"\n"))
        #expect(ran.text.utf8.count < 1000)
        let control = try expecting(
            "{ client: { body: plain } }",
            of: "{ request: GET http://a/, response: { body: \"\\e[31m\\u202E\\x9b red\" } }"
        )
        #expect(!control.text.isPassedToTerminal, "\(control.text)")
        #expect(control.text.contains("\\u{202E}"))
    }

    @Test("is reported for each exchange of a recording, up to a limit, and names it")
    func recording() throws {
        let line =
            "{\"v\":1,\"request\":{\"method\":\"GET\",\"url\":\"http://a/\"},"
            + "\"response\":{\"status\":500}}\n"
        let ran = try run(
            """
            pipeline: pipeline.yaml
            tests: [{ name: it, exchange: { file: a.ndjson }, expect: { client: { status: 200 } } }]
            """,
            pipeline("function request(ex) end"),
            files: ["a.ndjson": Array(String(repeating: line, count: 200).utf8)]
        )
        #expect(ran.results.first?.mismatches.count == TestResult.limit)
        #expect((ran.results.first?.omitted ?? 0) > 0)
        #expect(
            ran.text.contains("'client.status' differs in exchange 3 of a.ndjson (GET http://a/)")
        )
    }
}

extension String {
    /// Whether the text contains characters that a terminal would interpret.
    fileprivate var isPassedToTerminal: Bool {
        unicodeScalars.contains {
            ($0.value < 0x20 && $0 != "\n") || 0x7F...0x9F ~= $0.value || $0 == "\u{202E}"
        }
    }
}
