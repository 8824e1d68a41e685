// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineMatching

/// Rules about what varies by itself.
@Suite struct NoiseRulesTests {
    @Test func rulesAreReadAndWritten() throws {
        let text = """
            # Reviewed.

            GET /orders/{id} varies $.created_at  # time: 4 of 4 pairs
            GET /orders/{id} $.token
            * * ignore header.retry-after
            GET /search unordered $.results # order
            POST /cart key id $.items["a # b"]
            ignore status
            $.seen

            """
        let rules = try NoiseRules(text)
        #expect(
            rules.lines.map(\.rule.text) == [
                "GET /orders/{id} varies $.created_at", "GET /orders/{id} varies $.token",
                "* * ignore header.retry-after", "GET /search unordered $.results",
                "POST /cart key id $.items[\"a # b\"]", "* * ignore status", "* * varies $.seen",
            ]
        )
        #expect(rules.lines.map(\.comment).prefix(2) == ["time: 4 of 4 pairs", ""])
        #expect(try NoiseRules(rules.text) == rules)
    }

    @Test func namesMayContainLineSeparators() throws {
        var rules = NoiseRules()
        rules.append(
            NoiseRule(method: "GET", route: "/a", .varies, path: "$[\"a\u{2028}\u{85}b\"]")
        )
        #expect(try NoiseRules(rules.text) == rules)
        #expect(try NoiseRules("$.a\r\n$.b\r\n").lines.map(\.rule.path) == ["$.a", "$.b"])
    }

    @Test(arguments: [
        ("GET", "line 1, column 4: expected a route such as /orders/{id}, or '*'"),
        ("\nGET orders $.a", "line 2, column 5: expected a route such as /orders/{id}, or '*'"),
        (
            "GET /a vary $.a",
            "line 1, column 8: unknown word 'vary'; expected 'varies', 'ignore', 'unordered', 'key' "
                + "or a path that begins with $, form, xml, html, text, body, header, status, "
                + "grpc, outcome, messages"
        ),
        (
            "GET /a varies created_at",
            "line 1, column 15: expected a path that begins with $, form, xml, html, text, body, "
                + "header, status, grpc, outcome, messages"
        ),
        ("key", "line 1, column 4: expected the name of a member"),
    ])
    func wrongRulesHaveAPosition(text: String, message: String) {
        #expect {
            try NoiseRules(text)
        } throws: {
            "\($0)" == message
        }
    }

    @Test(arguments: [
        ("$.a", FoundDifference.Kind.changed, true), ("$.a", .missing, false),
        ("$.a", .type, false),
        ("$.a.b", .missing, true), ("$.a[*]", .added, true), ("$.ab", .changed, false),
        ("$", .changed, false), ("$.b", .missing, true), ("$.b[*].x", .type, true),
        ("$[\"x.y\"]", .changed, true), ("$[\"x.y\"].z", .changed, true), ("$.x", .changed, false),
    ])
    func aRuleHoldsForItsPartAndWhatIsInIt(
        path: String,
        kind: FoundDifference.Kind,
        isNoise: Bool
    ) throws {
        let rules = try NoiseRules("$.a\nignore $.b\n$[\"x.y\"]\n")
        #expect(RouteNoise(rules, "GET", "/").covers(Array(path.utf8), kind) == isNoise)
    }

    @Test func aRuleHoldsForItsRoute() throws {
        let rules = try NoiseRules("GET /a $.x\n* /b $.x\nPOST * $.y\n")
        func covers(_ method: String, _ route: String, _ path: String) -> Bool {
            RouteNoise(rules, method, route).covers(Array(path.utf8), .changed)
        }
        #expect(covers("GET", "/a", "$.x") && covers("PUT", "/b", "$.x"))
        #expect(covers("POST", "/c", "$.y"))
        #expect(!covers("POST", "/a", "$.x") && !covers("GET", "/c", "$.y"))
    }

    @Test(arguments: [
        ("2026-11-20T14:03:00Z", "2026-11-21T00:00:00.5+01:00", NoiseReason.time),
        ("2026-11-20", "2026-11-21", .time), ("2026-11-20 14:03:00", "2026-11-20 14:04:00", .time),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT", .time),
        ("1795183380", "1795183391", .time), ("1795183380123", "1795183391456", .time),
        ("0193d2c4-1111-7222-8333-944445555666", "0193d2c4-1111-7222-8333-944445555667", .id),
        ("8f3a00c1d2", "77b0aa00ee", .id), ("ord_8Hf2kQ1z", "ord_1mZp90aa", .id),
        ("eyJhbGciOiJIUzI1.aB3", "eyJhbGciOiJIUzI1.xY9", .random), ("41", "42", .counter),
        ("-1", "7", .counter), ("/orders/8f3a00c1d2?x=1", "/orders/77b0aa00ee?x=1", .id),
        ("made at 2026-11-20T14:03:00Z", "made at 2026-11-20T14:03:01Z", .time),
        ("Widget 2000", "Widget 3000", .other), ("product-catalog-2", "product-catalog-3", .other),
        ("paid", "open", .other), ("", "x", .other), ("10.5", "11.5", .other),
        ("/orders/8f3a00c1d2", "/orders/77b0aa00ee/x", .other),
    ])
    func valuesAreClassifiedByTheirShape(left: String, right: String, reason: NoiseReason) {
        let difference = FoundDifference(
            DifferencePath(root: "$"),
            ComparedValue(.string, left),
            ComparedValue(.string, right)
        )
        #expect(NoiseReason(difference) == reason)
    }
}
