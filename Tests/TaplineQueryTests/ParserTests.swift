// SPDX-License-Identifier: MIT

import TaplineQuery
import Testing

@Suite struct ParserTests {
    @Test(arguments: [
        ErrorCase("", "", "filter is empty; expected a comparison such as 'status >= 400'"),
        ErrorCase("  ", "", "filter is empty; expected a comparison such as 'status >= 400'"),
        ErrorCase(
            "stauts >= 400",
            "stauts",
            "unknown field 'stauts'",
            help: "did you mean 'status'?"
        ),
        ErrorCase(
            "respons.size > 1",
            "respons.size",
            "unknown field 'respons.size'",
            help: "did you mean 'response.size'?"
        ),
        ErrorCase("zebra == 1", "zebra", "unknown field 'zebra'"),
        ErrorCase(
            #"header["a"] exists"#,
            "header",
            "unknown field 'header'",
            help: "write 'request.header' or 'response.header'"
        ),
        ErrorCase(
            "true",
            "true",
            "unexpected 'true'; expected a field",
            help: "use 'exists'"
        ),
        ErrorCase(
            "status",
            "",
            "unexpected end of the filter; expected an operator after 'status'"
        ),
        ErrorCase(
            "status >= 500 or error",
            "",
            "unexpected end of the filter; expected an operator after 'error'",
            help: "write 'state == \"failed\"' for exchanges that failed, or 'error exists'"
        ),
        ErrorCase(
            "(error or status >= 500)",
            "or",
            "unexpected 'or'; expected an operator after 'error'",
            help: "write 'state == \"failed\"' for exchanges that failed, or 'error exists'"
        ),
        ErrorCase(
            "status lik 4",
            "lik",
            "unexpected 'lik'; expected an operator after 'status'",
            help: "did you mean 'like'?"
        ),
        ErrorCase(
            "host not in [\"a\"]",
            "not",
            "unexpected 'not'; expected an operator",
            help: "write 'not' before the field"
        ),
        ErrorCase(
            "status == \"200\"",
            "\"200\"",
            "unexpected string; 'status' is compared with a number"
        ),
        ErrorCase(
            "method == 5",
            "5",
            "unexpected '5'; 'method' is compared with a string"
        ),
        ErrorCase(
            "method == host",
            "host",
            "unexpected 'host'; 'method' is compared with a string",
            help: "write the field on the left and the value on the right"
        ),
        ErrorCase(
            "status like \"4*\"",
            "like",
            "'like' needs text; found 'status', which is a number"
        ),
        ErrorCase(
            "started ~ \"2026\"",
            "~",
            "'~' needs text; found 'started', which is a time"
        ),
        ErrorCase(
            "started > 5",
            "5",
            "unexpected '5'; 'started' is compared with a time as a string"
        ),
        ErrorCase(
            "started > \"yesterday\"",
            "\"yesterday\"",
            "bad time; expected RFC 3339 text such as \"2026-11-20T14:03:00Z\""
        ),
        ErrorCase(
            "duration > 250",
            "250",
            "duration without a unit; expected, for example, '250ms'"
        ),
        ErrorCase(
            "duration > 250mss",
            "mss",
            "unknown unit; expected one of us, µs, ms, s, m, h, d"
        ),
        ErrorCase(
            "response.size > 1mib",
            "mib",
            "unknown unit; expected one of B, kB, KB, MB, GB, TB, KiB, MiB, GiB, TiB",
            help: "did you mean 'MiB'?"
        ),
        ErrorCase("status > 5ms", "ms", "'status' is a number without a unit"),
        ErrorCase(
            "response.size > 1e999",
            "1e999",
            "number is too large"
        ),
        ErrorCase("status in 5", "5", "unexpected '5'; expected '[' after 'in'"),
        ErrorCase("status in []", "[]", "list is empty; expected at least one value"),
        ErrorCase("status in [1 2]", "2", "unexpected '2'; expected ',' or ']'"),
        ErrorCase(
            "query == \"a\"",
            "==",
            "unexpected '=='; expected '[' after 'query'",
            help: "write query[\"…\"]"
        ),
        ErrorCase(
            "query[a] exists",
            "a",
            "unexpected 'a'; expected a name in double quotes",
            help: "write query[\"…\"]"
        ),
        ErrorCase("query[\"a\" exists", "exists", "unexpected 'exists'; expected ']'"),
        ErrorCase("path[\"a\"] exists", "[", "'path' has no parts; expected an operator"),
        ErrorCase("(status == 1", "(", "unclosed parenthesis"),
        ErrorCase("status == 1)", ")", "unexpected ')'; expected 'and', 'or' or the end"),
        ErrorCase(
            "status == 1 AND port == 2",
            "AND",
            "unexpected 'AND'; expected 'and', 'or' or the end",
            help: "write 'and'"
        ),
        ErrorCase(
            "\"a\" == method",
            "\"a\"",
            "unexpected string; expected a field, 'not' or '('",
            help: "a comparison begins with a field"
        ),
        ErrorCase(
            #"path ~ "^(a""#,
            "^(a",
            "bad regular expression: missing ): '^(a'"
        ),
        ErrorCase(
            #"path ~ "ab[z-a]""#,
            "z-a",
            "bad regular expression: invalid character class range: 'z-a'"
        ),
        ErrorCase(
            #"state == "complete""#,
            #""complete""#,
            "'state' never has this value; expected one of "
                + #""completed", "failed", "cancelled""#,
            help: #"did you mean "completed"?"#
        ),
        ErrorCase(
            #"status_class in ["2xx", "6xx"]"#,
            #""6xx""#,
            #"'status_class' never has this value; expected one of "1xx", "2xx", "3xx", "4xx", "5xx""#,
            help: #"did you mean "1xx"?"#
        ),
    ])
    func reportsTheProblemAndItsPosition(wrong: ErrorCase) {
        expectFailure(wrong)
    }

    @Test(arguments: [
        ("status == 1 and status == 1 or status == 503", true),
        ("status == 503 or status == 1 and status == 1", true),
        ("(status == 503 or status == 1) and status == 1", false),
        ("not status == 1 and status == 503", true),
        ("not (status == 503 and status == 1)", true),
        ("not not status == 503", true),
        ("not status == 503 or status == 503", true),
        ("((status == 503))", true),
        ("status==503 and method==\"POST\"", true),
        ("status == 503\n  and\tmethod == \"POST\"\r\n", true),
    ])
    func precedence(text: String, expected: Bool) {
        #expect(evaluate(text) == expected)
    }

    @Test func messagesNeverQuoteAString() {
        for text in [#"status == "secret""#, #""secret""#, #"host == "secret" "secret""#] {
            #expect(failure(text)?.message.contains("secret") == false)
        }
    }

    @Test func limitsHold() {
        var limits = FilterLimits()
        limits.maxTextBytes = 20
        limits.maxDepth = 3
        limits.maxComparisons = 2
        #expect(failure("status == 1", limits: limits) == nil)
        #expect(
            failure("status == 1          ", limits: limits)?.message
                == "filter is too long; found 21 bytes, expected at most 20"
        )
        #expect(failure("(((port == 1)))", limits: limits) == nil)
        #expect(
            failure("((((port == 1))))", limits: limits)?.message
                == "filter is nested too deeply; expected at most 3 levels"
        )
        #expect(failure("not not not not port", limits: limits)?.offset == 16)
        limits.maxTextBytes = 100
        #expect(failure("port == 1 or port == 2", limits: limits) == nil)
        #expect(
            failure("port == 1 or port == 2 or port == 3", limits: limits)?.message
                == "filter has too many comparisons; expected at most 2"
        )
    }

    @Test func nestingUpToTheLimitIsSafe() {
        let deep =
            String(repeating: "(", count: 100) + "port == 1" + String(repeating: ")", count: 100)
        #expect(failure(deep) == nil)
        let deeper = String(repeating: "(", count: 60_000)
        let message = "filter is nested too deeply; expected at most 100 levels"
        #expect(failure(deeper)?.message == message)
        let nots = String(repeating: "not ", count: 15_000)
        #expect(failure(nots)?.message == message)
    }
}
