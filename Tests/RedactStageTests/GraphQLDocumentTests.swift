// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct GraphQLDocumentTests {
    private func document(_ text: String) -> GraphQLDocument {
        var list = RuleList()
        list.addStandard(.mask)
        let rules = RuleSet(list, Replacement(mask: "*", key: "key".utf8.span))
        return GraphQLDocument(text.utf8.span, rules)
    }

    @Test(arguments: [
        ("query($a: T, $b: T) { f(password: $a, b: $b) }", ["a"]),
        ("{ f(x: {password: $a, y: [{token: $b}], z: $c}) }", ["a", "b"]),
        ("{ f(token: {x: $a, y: [$b]}) }", ["a", "b"]), ("{ a @b(token: $a) { c(d: $d) } }", ["a"]),
        ("{ token { f(a: $a) } }", []), ("query($token: T) { f }", []),
    ])
    func boundVariablesAreFound(text: String, expected: [String]) {
        let names = document(text).variables.keys.map { String(decoding: $0, as: UTF8.self) }
        #expect(names.sorted() == expected)
        #expect(document(text).isUnderstood)
    }

    @Test func valuesAreFound() {
        let text = #"{ f(token: "a\"b", pin: -1.5e3, x: "c") }"#
        let bytes = Array(text.utf8)
        let values = document(text).values.map { String(decoding: bytes[$0.range], as: UTF8.self) }
        #expect(values == [#"a\"b"#, "-1.5e3"])
    }

    @Test(arguments: ["{", "}", "{ f(a: \"b }", "{ f(a: \"\"\"b }"])
    func malformedDocumentsAreNotUnderstood(text: String) {
        #expect(!document(text).isUnderstood)
    }

    @Test(arguments: [
        ("{a}", true), (" ,query", true), ("# x", true), ("shoes", false), ("", false),
        ("sub", false),
    ])
    func documentsAreRecognizedByTheirBeginning(text: String, expected: Bool) {
        let isLikely = GraphQLDocument.isLikely(text.utf8.span)
        #expect(isLikely == expected)
    }
}
