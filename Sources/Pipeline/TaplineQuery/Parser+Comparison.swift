// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The field on the left of a comparison, with its position.
struct Subject {
    let field: Field
    let range: Range<Int>
    /// The name in brackets.
    let key: [UInt8]
    /// Where the text in brackets was written.
    var keyRange = 0..<0
}

extension Parser {
    /// Parses a field, an operator and the operator's values.
    mutating func comparison() throws(FilterError) -> Test {
        usesEnvironment = false
        let subject = try subject()
        var test = Test(field: subject.field, test: try comparisonOperator(of: subject))
        if subject.field.isJSON {
            builder.paths.append(try path(of: subject))
            test.key = builder.paths.count - 1..<builder.paths.count
        } else {
            test.key = builder.keep(subject.key)
        }
        switch test.test {
        case .exists:
            break
        case .isIn:
            try list(for: subject, into: &test)
        case .like, .matches:
            try pattern(for: subject, into: &test)
        default:
            let start = builder.values.count
            if let value = try value(for: subject, test.test) { builder.values.append(value) }
            test.values = start..<builder.values.count
            if test.values.isEmpty { test.test = .never }
        }
        if subject.field == .env { resolve(&test, subject) }
        locate(&test, subject)
        return test
    }

    /// Notes the text of a comparison, which the current token follows.
    private func locate(_ test: inout Test, _ subject: Subject) {
        let start = subject.range.lowerBound
        var end = max(start, min(token.range.lowerBound, lexer.bytes.count))
        while end > start, [0x20, 0x09, 0x0A, 0x0D].contains(lexer.bytes[end - 1]) { end -= 1 }
        test.start = UInt32(clamping: start)
        test.length = UInt32(clamping: end - start)
        test.usesEnvironment = usesEnvironment
    }

    /// Replaces the name of an environment variable by its value, since the environment does not
    /// change.
    private mutating func resolve(_ test: inout Test, _ subject: Subject) {
        if let value = scope.environment[String(decoding: subject.key, as: UTF8.self)] {
            test.key = builder.keep(Array(value.utf8))
        } else {
            test.test = .never
        }
    }

    /// Parses the field that a comparison begins with.
    mutating func subject() throws(FilterError) -> Subject {
        guard token.kind == .word else {
            throw FilterError(
                token.range,
                "unexpected \(found); expected a field, 'not' or '('",
                help: isLiteral ? "a comparison begins with a field" : nil
            )
        }
        let range = token.range
        let name = lexer.text(range)
        guard let field = Field(name) else { throw unknownField(name, range) }
        guard field.knownAt < .store || scope.isStore else {
            throw FilterError(range, "'\(name)' is known in stores only")
        }
        try advance()
        // `json "$.id"` is short for `json["$.id"]`.
        if field.isJSON, case .text(let path, _) = token.kind {
            let written = token.range
            try advance()
            note(field, range.lowerBound..<written.upperBound)
            return Subject(
                field: field,
                range: range.lowerBound..<written.upperBound,
                key: path,
                keyRange: written
            )
        }
        guard isSymbol("[") else {
            guard !field.isKeyed else {
                throw FilterError(
                    token.range,
                    "unexpected \(found); expected '[' after '\(name)'",
                    help: "write \(name)[\"…\"]"
                )
            }
            note(field, range)
            return Subject(field: field, range: range, key: [])
        }
        guard field.isKeyed else {
            throw FilterError(token.range, "'\(name)' has no parts; expected an operator")
        }
        let opening = token.range.lowerBound
        let (key, end) = try key(of: name)
        note(field, range.lowerBound..<end)
        return Subject(
            field: field,
            range: range.lowerBound..<end,
            key: key,
            keyRange: opening..<end
        )
    }

    /// Parses the name in brackets and returns it with the end of the closing bracket.
    mutating func key(of name: String) throws(FilterError) -> ([UInt8], Int) {
        try advance()
        guard case .text(let key, _) = token.kind else {
            throw FilterError(
                token.range,
                "unexpected \(found); expected a name in double quotes",
                help: "write \(name)[\"…\"]"
            )
        }
        try advance()
        guard isSymbol("]") else {
            throw FilterError(token.range, "unexpected \(found); expected ']'")
        }
        let end = token.range.upperBound
        try advance()
        return (key, end)
    }

    /// Parses the path of a JSON field.
    func path(of subject: Subject) throws(FilterError) -> JSONPath {
        guard let path = JSONPath(subject.key) else {
            throw FilterError(
                subject.keyRange,
                "bad JSON path; expected, for example, \"$.items[0].id\" or \"$.items[*].id\""
            )
        }
        return path
    }

    private var isLiteral: Bool {
        switch token.kind {
        case .text, .number: true
        default: false
        }
    }

    private mutating func note(_ field: Field, _ range: Range<Int>) {
        fields.append(
            FilterField(
                name: field.name,
                offset: range.lowerBound,
                length: range.count,
                knownAt: field.knownAt
            )
        )
    }

    private func unknownField(_ name: String, _ range: Range<Int>) -> FilterError {
        guard name.utf8.count <= 64 else { return FilterError(range, "unknown field") }
        let moved = [
            "header": "request.header", "body": "request.body", "size": "request.size",
            "cookie": "request.cookie",
        ]
        if let field = moved[name] {
            let other = field.replacingRequest
            return FilterError(
                range,
                "unknown field '\(name)'",
                help: "write '\(field)' or '\(other)'"
            )
        }
        if ["true", "false", "null"].contains(name) {
            return FilterError(
                range,
                "unexpected '\(name)'; expected a field",
                help: "use 'exists'"
            )
        }
        let near = Suggestion.nearest(to: name, among: Field.allCases.map(\.name) + ["not"])
        return FilterError(
            range,
            "unknown field '\(name)'",
            help: near.map { "did you mean '\($0)'?" }
        )
    }
}

extension String {
    /// `response.body` for `request.body`.
    fileprivate var replacingRequest: String { "response" + dropFirst("request".count) }
}
