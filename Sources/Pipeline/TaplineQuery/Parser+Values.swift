// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineRegex

extension Parser {
    /// Parses values in brackets, separated by commas.
    mutating func list(for subject: Subject, into test: inout Test) throws(FilterError) {
        guard isSymbol("[") else {
            throw FilterError(token.range, "unexpected \(found); expected '[' after 'in'")
        }
        let opening = token.range.lowerBound
        let start = builder.values.count
        try advance()
        if isSymbol("]") {
            throw FilterError(
                opening..<token.range.upperBound,
                "list is empty; expected at least one value"
            )
        }
        while true {
            if let value = try value(for: subject, .equal) { builder.values.append(value) }
            guard isSymbol(",") else { break }
            try advance()
        }
        guard isSymbol("]") else {
            throw FilterError(token.range, "unexpected \(found); expected ',' or ']'")
        }
        try advance()
        test.values = start..<builder.values.count
        if test.values.isEmpty { test.test = .never }
    }

    /// Parses and compiles the text on the right of `like` or `~`.
    mutating func pattern(for subject: Subject, into test: inout Test) throws(FilterError) {
        let range = token.range
        let isExact: Bool
        if case .text(_, let exact) = token.kind { isExact = exact } else { isExact = false }
        guard let text = try text(for: subject) else {
            test.test = .never
            return
        }
        if test.test == .like {
            let pattern = String(decoding: text, as: UTF8.self)
            builder.globs.append(Glob(pattern, ignoringCase: subject.field.ignoresCase))
            test.values = builder.globs.count - 1..<builder.globs.count
            return
        }
        do throws(PatternError) {
            builder.patterns.append(
                try Pattern(
                    String(decoding: text, as: UTF8.self),
                    caseInsensitive: subject.field.ignoresCase
                )
            )
        } catch {
            var place = range
            if isExact, let offset = error.offset {
                let start = min(range.lowerBound + 1 + offset, range.upperBound)
                place = start..<min(start + error.length, range.upperBound)
            }
            throw FilterError(place, "bad regular expression: \(error.message)")
        }
        test.values = builder.patterns.count - 1..<builder.patterns.count
    }

    /// Parses a value for a comparison with the field; `nil` if it is an environment variable that
    /// is not set.
    mutating func value(
        for subject: Subject,
        _ comparison: Test.Operator
    ) throws(FilterError) -> Value? {
        let range = token.range
        switch subject.field.kind {
        case .text:
            guard let text = try text(for: subject) else { return nil }
            if comparison == .equal || comparison == .notEqual {
                try check(text, isValueOf: subject.field, at: range)
            }
            let folded = subject.field.ignoresCase ? text.map(\.asciiLowercased) : text
            return .text(builder.keep(folded))
        case .time:
            if isWord("now") { return .whole(try relativeTime().microseconds) }
            guard let text = try text(for: subject) else { return nil }
            guard let moment = Parser.moment(text) else {
                throw FilterError(
                    range,
                    "bad time; expected RFC 3339 text such as \"2026-11-20T14:03:00Z\""
                )
            }
            return .whole(moment.microseconds)
        case .number, .size, .duration:
            return try quantity(for: subject)
        case .json:
            return try literal(for: subject)
        }
    }

    /// Parses RFC 3339 text; a date alone means its first moment in UTC.
    private static func moment(_ text: [UInt8]) -> Timestamp? {
        let isDate = text.count == 10
        return Timestamp(rfc3339: (isDate ? text + Array("T00:00:00Z".utf8) : text).span)
    }

    /// Parses a string or `env["…"]`; `nil` if the variable is not set.
    mutating func text(for subject: Subject) throws(FilterError) -> [UInt8]? {
        switch token.kind {
        case .text(let bytes, _):
            try advance()
            return bytes
        case .word where isWord("env"):
            return try environmentValue()
        default:
            throw comparisonError(
                subject,
                subject.field.kind == .time ? "a time as a string" : "a string"
            )
        }
    }

    /// Parses `env["…"]` on the right of a comparison.
    mutating func environmentValue() throws(FilterError) -> [UInt8]? {
        try advance()
        guard isSymbol("[") else {
            throw FilterError(token.range, "unexpected \(found); expected '[' after 'env'")
        }
        let (name, _) = try key(of: "env")
        usesEnvironment = true
        return scope.environment[String(decoding: name, as: UTF8.self)].map { Array($0.utf8) }
    }

    /// Rejects a value that a field with a closed set of values never has.
    private func check(
        _ text: [UInt8],
        isValueOf field: Field,
        at range: Range<Int>
    ) throws(FilterError) {
        guard let known = field.closedSet else { return }
        let word = String(decoding: text, as: UTF8.self)
        guard !known.contains(word) else { return }
        let list = known.map { "\"\($0)\"" }.joined(separator: ", ")
        throw FilterError(
            range,
            "'\(field.name)' never has this value; expected one of \(list)",
            help: Suggestion.nearest(to: word, among: known).map { "did you mean \"\($0)\"?" }
        )
    }

    func comparisonError(_ subject: Subject, _ expected: String) -> FilterError {
        let other = token.kind == .word ? Field(lexer.text(token.range)) : nil
        return FilterError(
            token.range,
            "unexpected \(found); '\(subject.field.name)' is compared with \(expected)",
            help: other.map { _ in "write the field on the left and the value on the right" }
        )
    }
}
