// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// `${NAME}`, `${NAME:-default}` and `$$`.
@Suite
struct InterpolationTests {
    static let environment = ["A": "one", "EMPTY": "", "N": "7", "LIST": "[1, 2]", "D": "${A}"]

    @Test(arguments: [
        ("${A}", "one"), ("x-${A}-y", "x-one-y"), ("${A}${N}", "one7"), ("${B:-two}", "two"),
        ("${A:-two}", "one"), ("${EMPTY}", ""), ("${EMPTY:-x}", ""), ("${B:-}", ""),
        ("$${A}", "${A}"), ("$$", "$"), ("$", "$"), ("a$", "a$"), ("$A", "$A"),
        ("$.card", "$.card"),
        ("$$$$", "$$"), ("$$$A", "$$A"), ("${B:-a:-b}", "a:-b"), ("${B:-${A}", "${A"),
        ("${LIST}", "[1, 2]"), ("${D}", "${A}"), ("US$5", "US$5"), ("\u{20AC}${A}", "\u{20AC}one"),
    ])
    func replaced(_ text: String, _ expected: String) {
        let (value, rendered) = value("'\(text)'", .text, environment: Self.environment)
        #expect(value == expected)
        #expect(rendered.isEmpty)
    }

    @Test func aValueCanBeANumberButCannotAddStructure() {
        #expect(value("${N}", .integer(), environment: Self.environment).value == 7)
        #expect(value("'${N}'", .integer(), environment: Self.environment).value == nil)
        #expect(
            value("${LIST}", .list(of: .integer()), environment: Self.environment).rendered
                .contains("found '[1, 2]', expected a list of integer")
        )
    }

    @Test func missingVariablesArePointedAt() {
        #expect(
            value("'\u{E4}${A}-${B}-${C:-c}-${DD}'", .text, environment: Self.environment)
                .rendered
                    == """
                    p.yaml:1:11: error: the environment variable 'B' is not set
                        1 | x: '\u{E4}${A}-${B}-${C:-c}-${DD}'
                          |           ^~~~
                    help: set it, or give a default: ${B:-default}
                    p.yaml:1:24: error: the environment variable 'DD' is not set
                        1 | x: '\u{E4}${A}-${B}-${C:-c}-${DD}'
                          |                        ^~~~~
                    help: set it, or give a default: ${DD:-default}

                    """
        )
    }

    @Test(arguments: [
        "${", "${A", "${}", "${1A}", "${A-b}", "${A:b}", "${A:-b", "${A b}", "${\u{C4}}",
    ])
    func malformed(_ text: String) {
        let (value, rendered) = value("'-\(text)'", .text, environment: Self.environment)
        #expect(value == nil)
        #expect(
            rendered.hasPrefix(
                "p.yaml:1:6: error: '${' begins a variable; expected ${NAME} or ${NAME:-default}\n"
            )
        )
        #expect(rendered.hasSuffix("help: write '$${' for a plain '${'\n"))
    }

    @Test func nestedValuesAreReplacedButNotKeys() {
        let (node, _) = value(
            "{'${A}': ['${A}', {b: '${N}'}, ~]}",
            .node,
            environment: Self.environment
        )
        #expect(flat(node.flatMap(\.self)) == "{${A}: [one, {b: 7}, null]}")
    }

    @Test func optionsCanDisableIt() {
        let code = ConfigKey("code", .text, default: "", summary: "Code.", interpolates: false)
        let name = ConfigKey("name", .text, default: "", summary: "Name.")
        let inner = ConfigKey(
            "inner",
            .object(OptionSchema(code, name)),
            summary: "Both."
        )
        let (options, rendered) = decode(
            "inner: { code: '${A} $$', name: '${A} $$' }\n",
            OptionSchema(inner),
            environment: Self.environment
        )
        #expect(rendered.isEmpty)
        #expect(options?[inner][code] == "${A} $$")
        #expect(options?[inner][name] == "one $")
    }

    @Test func nestedOptionsInheritADisabledInterpolation() {
        let name = ConfigKey("name", .text, default: "", summary: "Name.")
        let inner = ConfigKey(
            "inner",
            .list(of: .object(OptionSchema(name))),
            summary: "Both.",
            interpolates: false
        )
        let after = ConfigKey("after", .text, default: "", summary: "After.")
        let (options, _) = decode(
            "inner: [{name: '${A}'}]\nafter: ${A}\n",
            OptionSchema(inner, after),
            environment: Self.environment
        )
        #expect(options?[inner].first?[name] == "${A}")
        #expect(options?[after] == "one")
    }
}
