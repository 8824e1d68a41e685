// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RulesStage

@Suite("Replacements in bodies") struct BodyReplacementTests {
    private static let document = #"{ "a": 1, "b": [{"c":"x\"y"}, {"c" : null}], "d": {"e":[]} }"#

    @Test(
        "change only the bytes of the values at a JSON path",
        arguments: [
            ("$.a", "2", #"{ "a": 2, "b": [{"c":"x\"y"}, {"c" : null}], "d": {"e":[]} }"#),
            (
                "$.b[*].c", #""z""#,
                #"{ "a": 1, "b": [{"c":"z"}, {"c" : "z"}], "d": {"e":[]} }"#
            ),
            ("$.b[1]", "true", #"{ "a": 1, "b": [{"c":"x\"y"}, true], "d": {"e":[]} }"#),
            ("$.d", "null", #"{ "a": 1, "b": [{"c":"x\"y"}, {"c" : null}], "d": null }"#),
            (
                "$['d'].e", #""\"""#,
                #"{ "a": 1, "b": [{"c":"x\"y"}, {"c" : null}], "d": {"e":"\""} }"#
            ),
            ("$", "0", "0"),
            ("$.none", "0", Self.document),
            ("$.a.none", "0", Self.document),
        ]
    )
    func json(path: String, value: String, expected: String) throws {
        let result = try RuleText.evaluate(
            "  - actions: [replace: { json: \"\(path)\", with: \(value) }]",
            .request("http://a.test/", response: .json(Self.document))
        )
        #expect(result.exchange.responseText == expected)
        #expect(result.skippedReplacements.isEmpty)
    }

    @Test(
        "of texts and matches",
        arguments: [
            ("text: aa, with: b", "aaaa aa a", "bb b a"),
            ("text: x, with: y", "aaaa", "aaaa"),
            ("regex: 'a+', with: '[{{0}}]'", "aab a", "[aa]b [a]"),
            (
                "regex: '(\\w)(\\d)', with: '{{2}}{{1}}{{request.host}}'", "a1-b2",
                "1aa.test-2ba.test"
            ),
            ("regex: 'x*', with: '-'", "ab", "-a-b-"),
            ("regex: '^b', with: ''", "ab", "ab"),
            ("text: a, with: '{{{{'", "abc", "{{bc"),
        ]
    )
    func texts(replacement: String, body: String, expected: String) throws {
        let result = try RuleText.evaluate(
            "  - actions: [replace: { \(replacement) }]",
            .request("http://a.test/", response: Response(body: Body(Array(body.utf8))))
        )
        #expect(result.exchange.responseText == expected)
    }

    @Test(
        "escape values of the exchange for JSON, but neither text of the rule nor groups",
        arguments: [
            ("text: X, with: '{{request.query.q}}'", #"{"a":"X"}"#, #"{"a":"\"é\\"}"#),
            ("text: '\"X\"', with: '{\"b\":1}'", #"{"a":"X"}"#, #"{"a":{"b":1}}"#),
            (
                #"regex: '"a":"(.*)"', with: '"a":"{{1}}{{request.query.q}}"'"#,
                #"{"a":"x\"y"}"#, #"{"a":"x\"y\"é\\"}"#
            ),
        ]
    )
    func jsonValues(replacement: String, body: String, expected: String) throws {
        let result = try RuleText.evaluate(
            "  - actions: [replace: { \(replacement) }]",
            .request("http://a.test/?q=%22%C3%A9%5C", response: .json(body))
        )
        #expect(result.exchange.responseText == expected)
    }

    @Test("of a request update its length; without a match, everything stays as it is")
    func fields() throws {
        let rules = "  - actions: [replace: { in: request, text: a, with: bbb }]"
        let fields: FieldSection = ["Content-Length": "1", "ETag": "x"]
        let changed = try RuleText.evaluate(
            rules,
            .request("http://a.test/", method: "POST", fields: fields, body: "a")
        )
        #expect(changed.exchange.requestText == "bbb")
        #expect(changed.exchange.request.fields.first("content-length") == "3")
        let other = Exchange.request("http://a.test/", method: "POST", fields: fields, body: "c")
        #expect(try RuleText.evaluate(rules, other).exchange.request == other.request)
    }

    @Test("are skipped if the body is cut, or if its coding is unknown")
    func unavailable() throws {
        let rules = "  - { name: r, actions: [replace: { text: a, with: b }] }"
        var cut = Exchange.request("http://a.test/", response: .json("aaa"))
        cut.response?.body.isTruncated = true
        var coded = Exchange.request("http://a.test/", response: .json("aaa"))
        coded.response?.body.coding = "compress"
        for exchange in [cut, coded] {
            let result = try RuleText.evaluate(rules, exchange)
            #expect(result.skippedReplacements == ["r"])
            #expect(result.exchange.response == exchange.response)
        }
    }
}
