// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// The messages for texts that libyaml cannot parse.
@Suite
struct SyntaxMessageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var expected: String

        init(_ name: String, _ text: String, _ expected: String) {
            testDescription = name
            self.text = text
            self.expected = expected
        }
    }

    @Test(arguments: values + structure)
    func message(_ row: Case) {
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(
            Array(row.text.utf8),
            name: "p.yaml",
            into: &diagnostics
        )
        #expect(node == nil)
        #expect(diagnostics.rendered == row.expected)
    }

    /// Values that need quotes, and tabs.
    static let values: [Case] = [
        .init(
            "alias in block",
            "a: *.shop.test\n",
            #"""
            p.yaml:1:4: error: '*' begins an alias; expected the name of an anchor
                1 | a: *.shop.test
                  |    ^~~~~~~~~~~
            help: a text that begins with '*' needs quotes: '*.shop.test'

            """#
        ),
        .init(
            "alias in list",
            "hosts: [*.a.test, b]\n",
            #"""
            p.yaml:1:9: error: '*' begins an alias; expected the name of an anchor
                1 | hosts: [*.a.test, b]
                  |         ^~~~~~~~
            help: a text that begins with '*' needs quotes: '*.a.test'

            """#
        ),
        .init(
            "alias in mapping",
            "a: {host: *.x}\n",
            #"""
            p.yaml:1:11: error: '*' begins an alias; expected the name of an anchor
                1 | a: {host: *.x}
                  |           ^~~
            help: a text that begins with '*' needs quotes: '*.x'

            """#
        ),
        .init(
            "lone star",
            "a: *\n",
            #"""
            p.yaml:1:4: error: '*' begins an alias; expected the name of an anchor
                1 | a: *
                  |    ^
            help: a text that begins with '*' needs quotes: '*'

            """#
        ),
        .init(
            "lone ampersand",
            "a: &\n",
            #"""
            p.yaml:1:4: error: '&' begins an anchor; expected its name
                1 | a: &
                  |    ^
            help: a text that begins with '&' needs quotes

            """#
        ),
        .init(
            "JSON path with star",
            "json: [b, $.a[*].b, x]\n",
            #"""
            p.yaml:1:11: error: '[' begins a list in YAML; found it inside text
                1 | json: [b, $.a[*].b, x]
                  |           ^~~~~~~~
            help: put the text in quotes: '$.a[*].b'

            """#
        ),
        .init(
            "JSON path with index",
            "json: [$.a[0].b, x]\n",
            #"""
            p.yaml:1:8: error: '[' begins a list in YAML; found it inside text
                1 | json: [$.a[0].b, x]
                  |        ^~~~~~~~
            help: put the text in quotes: '$.a[0].b'

            """#
        ),
        .init(
            "variable in brackets",
            "json: [$.a, ${A}]\n",
            #"""
            p.yaml:1:13: error: '{' begins a mapping in YAML; found it inside text
                1 | json: [$.a, ${A}]
                  |             ^~~~
            help: put the text in quotes: '${A}'

            """#
        ),
        .init(
            "tab for indentation",
            "a:\n\tb: 1\n",
            #"""
            p.yaml:2:1: error: there is a tab in the indentation; expected spaces
                2 |     b: 1
                  | ^~~~
            help: replace each tab with spaces

            """#
        ),
        .init(
            "tab after spaces",
            "a:\n  b: 1\n\tc: 2\n",
            #"""
            p.yaml:3:1: error: there is a tab in the indentation; expected spaces
                3 |     c: 2
                  | ^~~~
            help: replace each tab with spaces

            """#
        ),
        .init(
            "tab first",
            "\ta: 1\n",
            #"""
            p.yaml:1:1: error: there is a tab in the indentation; expected spaces
                1 |     a: 1
                  | ^~~~
            help: replace each tab with spaces

            """#
        ),
        .init(
            "tab in block scalar",
            "a: >\n\tx\n",
            #"""
            p.yaml:2:1: error: there is a tab in the indentation; expected spaces
                2 |     x
                  | ^~~~
            help: replace each tab with spaces

            """#
        ),
        .init(
            "two colons",
            "a: b: c\n",
            #"""
            p.yaml:1:5: error: a second ': ' in one value; expected text without it
                1 | a: b: c
                  |     ^
            help: put text that contains ': ' in quotes

            """#
        ),
        .init(
            "two colons in list",
            "- x: b: c\n",
            #"""
            p.yaml:1:7: error: a second ': ' in one value; expected text without it
                1 | - x: b: c
                  |       ^
            help: put text that contains ': ' in quotes

            """#
        ),
        .init(
            "colon in filter",
            "when: a == \"b: c\"\n",
            #"""
            p.yaml:1:14: error: a second ': ' in one value; expected text without it
                1 | when: a == "b: c"
                  |              ^
            help: put text that contains ': ' in quotes

            """#
        ),
        .init(
            "at sign",
            "a: @x\n",
            #"""
            p.yaml:1:4: error: '@' cannot begin a value without quotes
                1 | a: @x
                  |    ^
            help: put the text in quotes: '@x'

            """#
        ),
        .init(
            "backtick",
            "a: `x`\n",
            #"""
            p.yaml:1:4: error: '`' cannot begin a value without quotes
                1 | a: `x`
                  |    ^
            help: put the text in quotes: '`x`'

            """#
        ),
        .init(
            "percent",
            "a: %x\n",
            #"""
            p.yaml:1:4: error: '%' cannot begin a value without quotes
                1 | a: %x
                  |    ^
            help: put the text in quotes: '%x'

            """#
        ),
    ]
}
