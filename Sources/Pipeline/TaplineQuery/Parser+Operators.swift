// SPDX-License-Identifier: MIT

extension Parser {
    /// Parses the operator after a field.
    mutating func comparisonOperator(of subject: Subject) throws(FilterError) -> Test.Operator {
        let word = token.kind == .word || token.kind == .symbol ? lexer.text(token.range) : ""
        if word == "not" {
            throw FilterError(
                token.range,
                "unexpected 'not'; expected an operator",
                help: "write 'not' before the field"
            )
        }
        guard let found = Parser.operators[word] else {
            let near = Suggestion.nearest(to: word, among: Parser.operators.keys.sorted())
            throw FilterError(
                token.range,
                "unexpected \(self.found); expected an operator after "
                    + "'\(subject.field.name)'",
                help: isAtEnd && subject.field == .error
                    ? "write 'state == \"failed\"' for exchanges that failed, or 'error exists'"
                    : token.kind == .word ? near.map { "did you mean '\($0)'?" } : nil
            )
        }
        guard subject.field != .any || found == .contains else {
            throw FilterError(
                token.range,
                "unexpected \(self.found); 'any' is used with 'contains' only"
            )
        }
        if subject.field.kind != .text, !subject.field.isJSON,
            [.like, .matches, .contains].contains(found)
        {
            throw FilterError(
                token.range,
                "'\(word)' needs text; found '\(subject.field.name)', which is "
                    + subject.field.kind.name
            )
        }
        try advance()
        return found
    }

    /// Whether a comparison ends here.
    private var isAtEnd: Bool {
        token.kind == .end || isSymbol(")") || isWord("and") || isWord("or")
    }

    private static let operators: [String: Test.Operator] = [
        "==": .equal, "!=": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater,
        ">=": .greaterOrEqual, "in": .isIn, "like": .like, "~": .matches, "contains": .contains,
        "exists": .exists,
    ]
}
