// SPDX-License-Identifier: MIT

extension SyntaxMessageTests {
    /// Brackets, quotes and lines that do not match.
    static let structure: [Case] = [
        .init(
            "open list",
            "a: [1, 2\n",
            #"""
            p.yaml:1:4: error: the list that begins here is not closed; expected ',' or ']'
                1 | a: [1, 2
                  |    ^

            """#
        ),
        .init(
            "open mapping",
            "a: {b: 1\nc: 2\n",
            #"""
            p.yaml:1:4: error: the mapping that begins here is not closed; expected ',' or '}'
                1 | a: {b: 1
                  |    ^

            """#
        ),
        .init(
            "open bracket at end",
            "a: {",
            #"""
            p.yaml:1:5: error: the file ends inside brackets; expected a value or a closing bracket
                1 | a: {
                  |     ^

            """#
        ),
        .init(
            "list without comma",
            "a: ['b' 'c']\n",
            #"""
            p.yaml:1:9: error: the list continues without a comma; found ''', expected ',' or ']'
                1 | a: ['b' 'c']
                  |         ^

            """#
        ),
        .init(
            "open single quote",
            "a: 'x\nb: 1\n",
            #"""
            p.yaml:1:4: error: the text in quotes that begins here is not closed
                1 | a: 'x
                  |    ^

            """#
        ),
        .init(
            "open double quote",
            "a: \"x\nb: 1\n",
            #"""
            p.yaml:1:4: error: the text in quotes that begins here is not closed
                1 | a: "x
                  |    ^

            """#
        ),
        .init(
            "unknown escape",
            "a: \"\\d\"\n",
            #"""
            p.yaml:1:5: error: '\d' is not a valid escape in double quotes
                1 | a: "\d"
                  |     ^~
            help: write '\\' for a backslash, or use single quotes

            """#
        ),
        .init(
            "surrogate escape",
            "a: \"\\uD800\"\n",
            #"""
            p.yaml:1:7: error: the escape is incomplete or names no character
                1 | a: "\uD800"
                  |       ^

            """#
        ),
        .init(
            "short escape",
            "a: \"\\x4\"\n",
            #"""
            p.yaml:1:7: error: the escape is incomplete or names no character
                1 | a: "\x4"
                  |       ^

            """#
        ),
        .init(
            "deeper key",
            "a: 1\n  b: 2\n",
            #"""
            p.yaml:2:3: error: this key continues the text of the line above; expected a line without ':'
                2 |   b: 2
                  |   ^
            help: indent it like the keys above, or remove the value from the line above

            """#
        ),
        .init(
            "text before keys",
            "key\nother: 1\n",
            #"""
            p.yaml:2:1: error: this key continues the text of the line above; expected a line without ':'
                2 | other: 1
                  | ^~~~~
            help: indent it like the keys above, or remove the value from the line above

            """#
        ),
        .init(
            "key below a bare list element",
            "sources:\n  - proxy\n    when: host exists\n",
            #"""
            p.yaml:3:5: error: this key continues the text of the line above; expected a line without ':'
                3 |     when: host exists
                  |     ^~~~
            help: write '- proxy: {}' above, and begin this key below 'proxy'

            """#
        ),
        .init(
            "key after list",
            "- a\nb: 1\n",
            #"""
            p.yaml:2:1: error: a list ends here; expected '-' as in line 1
                2 | b: 1
                  | ^
            help: begin the line with '- ', or indent it as part of the element above

            """#
        ),
        .init(
            "list after key",
            "a: - b\n",
            #"""
            p.yaml:1:4: error: a list cannot begin after text on the same line
                1 | a: - b
                  |    ^
            help: begin the list on the next line, or put the text in quotes

            """#
        ),
        .init(
            "dash alone",
            "path: -\n",
            #"""
            p.yaml:1:7: error: '-' begins a list; expected a value
                1 | path: -
                  |       ^
            help: put it in quotes to use it as a value: '-'

            """#
        ),
        .init(
            "dash alone in brackets",
            "- replay: { path: - }\n",
            #"""
            p.yaml:1:19: error: '-' begins a list; expected a value
                1 | - replay: { path: - }
                  |                   ^
            help: put it in quotes to use it as a value: '-'

            """#
        ),
        .init(
            "key without colon",
            "foo: bar\nbaz\nqux: 1\n",
            #"""
            p.yaml:2:1: error: there is no ':' after this text; expected 'key: value'
                2 | baz
                  | ^~~

            """#
        ),
        .init(
            "indentation of a key",
            "- proxy: { listen: 1 }\n   when: x\n",
            #"""
            p.yaml:2:4: error: the indentation matches no line above; found 3 spaces, expected 2 spaces as in line 1
                2 |    when: x
                  |    ^

            """#
        ),
        .init(
            "indentation of a list",
            "stages:\n  - lua: { script: a }\n    when: x\n   - b\n",
            #"""
            p.yaml:4:4: error: the indentation matches no line above; found 3 spaces, expected 2 spaces as in line 2
                4 |    - b
                  |    ^

            """#
        ),
        .init(
            "end of block scalar",
            "a: |\n  x\n y\n",
            #"""
            p.yaml:3:2: error: the indentation matches no line above; found 1 space, expected 0 spaces as in line 1
                3 |  y
                  |  ^

            """#
        ),
        .init(
            "unknown handle",
            "a: !e!x y\n",
            #"""
            p.yaml:1:4: error: unknown tag; expected a value without a tag
                1 | a: !e!x y
                  |    ^
            help: a text that begins with '!' needs quotes

            """#
        ),
        .init(
            "text after a text",
            "\"a\" b\n",
            #"""
            p.yaml:1:5: error: text follows the end of the document; expected the end of the file
                1 | "a" b
                  |     ^

            """#
        ),
        .init(
            "unknown directive",
            "%a\n",
            #"""
            p.yaml:1:1: error: a line that begins with '%' is a YAML directive; this directive is unknown
                1 | %a
                  | ^~
            help: put the text in quotes

            """#
        ),
        .init(
            "text after document",
            "a: 1\n...\nfoo\n",
            #"""
            p.yaml:3:1: error: text follows the end of the document; expected the end of the file
                3 | foo
                  | ^
            help: remove the line '...'

            """#
        ),
        .init(
            "control character",
            "a: \u{01}\n",
            #"""
            p.yaml:1:4: error: there is a control character; expected text
                1 | a: \x01
                  |    ^~~~
            help: write it as an escape in double quotes, such as "\x1B"

            """#
        ),
        .init(
            "closing bracket",
            "a: ]\n",
            #"""
            p.yaml:1:4: error: there is no value; found ']', expected a value
                1 | a: ]
                  |    ^
            help: a text that begins with ']' needs quotes

            """#
        ),
        .init(
            "comma",
            "a: , b\n",
            #"""
            p.yaml:1:4: error: there is no value; found ',', expected a value
                1 | a: , b
                  |    ^
            help: a text that begins with ',' needs quotes

            """#
        ),
        .init(
            "version",
            "%YAML 3.0\n---\na\n",
            #"""
            p.yaml:1:1: error: this YAML version is not supported; expected 1.2
                1 | %YAML 3.0
                  | ^

            """#
        ),
        .init(
            "two anchors",
            "a: &b &c d\n",
            #"""
            p.yaml:1:7: error: this is not a key; expected 'key: value'
                1 | a: &b &c d
                  |       ^

            """#
        ),
        .init(
            "text after quotes",
            "when: \"a\" == b\n",
            #"""
            p.yaml:1:11: error: text follows the closing quote; expected the end of the line
                1 | when: "a" == b
                  |           ^
            help: put the whole value in quotes of the other kind

            """#
        ),
        .init(
            "apostrophe",
            "a: 'it's'\n",
            #"""
            p.yaml:1:8: error: text follows the closing quote; expected the end of the line
                1 | a: 'it's'
                  |        ^
            help: put the whole value in quotes of the other kind

            """#
        ),
        .init(
            "text after list",
            "a: [a, b]c\n",
            #"""
            p.yaml:1:10: error: text follows the closing bracket; expected the end of the line
                1 | a: [a, b]c
                  |          ^
            help: put the whole value in quotes, unless it is a list or mapping

            """#
        ),
        .init(
            "text after bar",
            "a: |5x\n",
            #"""
            p.yaml:1:6: error: text follows '|' or '>' on the same line; expected it on the next lines
                1 | a: |5x
                  |      ^

            """#
        ),
        .init(
            "colon in brackets",
            "a: {b: c:}\n",
            #"""
            p.yaml:1:9: error: a ':' is not allowed here; expected a comma or a closing bracket
                1 | a: {b: c:}
                  |         ^
            help: put text that contains ':' in quotes

            """#
        ),
        .init(
            "question mark",
            "a: ? b\n",
            #"""
            p.yaml:1:4: error: a '?' cannot begin a value here
                1 | a: ? b
                  |    ^
            help: put the text in quotes

            """#
        ),
        .init(
            "no key",
            "a: x\n: b\n",
            #"""
            p.yaml:2:1: error: this is not a key; expected 'key: value'
                2 | : b
                  | ^

            """#
        ),
    ]
}
