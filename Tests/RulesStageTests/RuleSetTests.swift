// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RulesStage

@Suite("A file of rules") struct RuleSetTests {
    @Test("reports all problems at once, with line, column and caret")
    func problems() {
        let text = """
            version: 1
            rule: []
            rules:
              - nam: a
                when: hots == "a"
                actions: [respond: { status: 5 }]
              - actions: [delay: 5, map: { host: "a:1" }, repond: {}]
              - when: duration > 1s
                actions: [fly]
              - actions: []
            """
        let expected = """
            rules.yaml:2:1: error: unknown option 'rule' in 'rules'; expected version, rules
            """
        let found = RuleText.problems(text)
        #expect(found.hasPrefix(expected), "\(found)")
        for part in [
            "rules.yaml:4:5: error: unknown option 'nam'", "help: did you mean 'name'?",
            "rules.yaml:5:11: error: unknown field 'hots'",
            "rules.yaml:6:34: error: the number is out of range; found 5",
            "rules.yaml:7:22: error: the unit is missing",
            "the host is invalid; found 'a:1'",
            "unknown option 'repond'", "did you mean 'respond'?",
            "rules.yaml:9:15: error: unknown action 'fly'",
            "rules.yaml:10:14: error: the list is empty",
        ] {
            #expect(found.contains(part), "\(part) in \(found)")
        }
    }

    @Test(
        "refuses contradictory keys",
        arguments: [
            ("when: duration > 1s\n    actions: [stop]", "'duration' is not known before"),
            ("when: status == 500\n    actions: [map: { host: a }]", "'map' changes the request"),
            (
                "when: status == 500\n    actions: [set: { request.header.A: b }]",
                "which has been sent when 'status' is known"
            ),
            ("actions: [pass, delay: 1s]", "'pass' leaves exchanges unchanged"),
            ("actions: [set: { tag.a: \"{{response.status}}\" }]", "before there is a response"),
            ("actions: [respond: { file: missing }]", "the file cannot be read"),
            ("actions: [respond: { body: a, file: /dev/null }]", "at most one of"),
            ("actions: [respond: { headers: { a b: c } }]", "the name of a field is invalid"),
            ("actions: [respond: { headers: { a: \"b\\nc\" } }]", "cannot contain line breaks"),
            ("actions: [map: {}]", "'map' is empty"),
            ("actions: [set: { request.heder.A: b }]", "unknown place 'request.heder.A'"),
            ("actions: [remove: request.method]", "'request.method' cannot be removed"),
            ("actions: [replace: { text: a, regex: b, with: c }]", "expected exactly one of"),
            ("actions: [replace: { text: a }]", "option 'with' is missing"),
            ("actions: [replace: { regex: \"(\", with: c }]", "invalid regular expression"),
            ("actions: [replace: { json: a, with: c }]", "invalid path"),
            ("actions: [replace: { json: $.a, with: [1] }]", "wrong type of value"),
            ("actions: [replace: { text: a, with: \"{{1}}\" }]", "unknown value '1'"),
            ("actions: [delay: { min: 2s, max: 1s }]", "'min' is greater than 'max'"),
            ("actions: [throttle: {}]", "'throttle' has no speed"),
            ("actions: [throttle: { up: 0B, down: 1B }]", "a speed is 0"),
            ("actions: [throttle: 64]", "the unit is missing"),
            ("actions: [fail: reste]", "did you mean 'reset'?"),
            ("actions: [fail: 200]", "the number is out of range"),
            ("actions: [fail: { share: 0.5 }]", "exactly one of 'error' and 'status'"),
            ("actions: [{ delay: 1s, fail: reset }]", "has one action; found 2"),
            ("actions: [respond: { body: \"{{request.querry.a}}\" }]", "unknown value"),
            ("actions: [respond: { body: \"{{id\" }]", "expected '}}'"),
            ("actions: [stop]\n  - actions: [stop]\n    name: rule 1", "two rules have the name"),
        ]
    )
    func contradictions(rule: String, message: String) {
        let found = RuleText.problems("version: 1\nrules:\n  - \(rule)\n")
        #expect(found.contains(message), "\(found)")
    }

    @Test("needs its version")
    func version() {
        #expect(RuleText.problems("rules: []").contains("option 'version' is missing"))
        #expect(RuleText.problems("version: 2").contains("out of range"))
        #expect(RuleText.problems("").contains("the file is empty"))
    }

    @Test("names rules that have no name by their position, and leaves out disabled ones")
    func names() throws {
        let set = try RuleText.parse(
            """
              - { actions: [stop] }
              - { name: off, enabled: false, actions: [stop] }
              - { name: b, actions: [stop] }
              - { actions: [stop] }
            """
        )
        #expect(set.names == ["rule 1", "b", "rule 4"])
        #expect(set.hits(of: "b") == 0)
    }

    @Test("replaces variables, except in filters")
    func variables() throws {
        let set = try RuleText.parse(
            "  - { when: 'host == env[\"HOST\"]', actions: [map: { host: '${TARGET}' }] }",
            environment: ["HOST": "a.test", "TARGET": "b.test"]
        )
        let result = set.evaluate(.request("http://a.test/"))
        #expect(result.exchange.request.url == "http://b.test/")
    }
}
