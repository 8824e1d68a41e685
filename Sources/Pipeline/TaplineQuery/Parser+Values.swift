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
    private mutating func text(for subject: Subject) throws(FilterError) -> [UInt8]? {
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
    private mutating func environmentValue() throws(FilterError) -> [UInt8]? {
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

// MARK: - Numbers

extension Parser {
    /// Parses a number with a unit that fits the field.
    private mutating func quantity(for subject: Subject) throws(FilterError) -> Value? {
        let range = token.range
        if isWord("env") {
            guard let text = try environmentValue() else { return nil }
            return try quantity(String(decoding: text, as: UTF8.self), subject, at: range)
        }
        guard case .number(let unit) = token.kind else {
            throw comparisonError(subject, Parser.expected(subject.field.kind))
        }
        let number = lexer.text(range.lowerBound..<unit.lowerBound)
        let value = try scaled(number, unit: lexer.text(unit), subject, at: range, unit)
        try advance()
        return value
    }

    /// Parses the value of an environment variable as if it were written in the filter.
    private func quantity(
        _ text: String,
        _ subject: Subject,
        at range: Range<Int>
    ) throws(FilterError) -> Value {
        var lexer = Lexer(Array(text.utf8))
        guard let token = try? lexer.next(), case .number(let unit) = token.kind,
            token.range == 0..<lexer.bytes.count
        else {
            throw FilterError(
                range,
                "environment variable cannot be used here; expected "
                    + Parser.expected(subject.field.kind)
            )
        }
        let number = lexer.text(0..<unit.lowerBound)
        return try scaled(number, unit: lexer.text(unit), subject, at: range, range)
    }

    /// Parses a value of a JSON document; the literals `true`, `false` and `null` are texts.
    private mutating func literal(for subject: Subject) throws(FilterError) -> Value? {
        for word in ["true", "false", "null"] where isWord(word) {
            try advance()
            return .text(builder.keep(Array(word.utf8)))
        }
        if case .number = token.kind { return try quantity(for: subject) }
        switch token.kind {
        case .text: break
        case .word where isWord("env"): break
        default: throw comparisonError(subject, Parser.expected(.json))
        }
        return try text(for: subject).map { .text(builder.keep($0)) }
    }

    /// Parses `now`, `now - 15m` or `now + 15m`.
    private mutating func relativeTime() throws(FilterError) -> Timestamp {
        guard let now = scope.now else {
            throw FilterError(token.range, "'now' is not known here; write a time as a string")
        }
        let sign = lexer.sign()
        try advance()
        guard let sign else { return now }
        let subject = Subject(field: .duration, range: token.range, key: [])
        guard case .number = token.kind, lexer.bytes[token.range.lowerBound] != .ascii("-") else {
            throw FilterError(
                token.range,
                "unexpected \(found); expected a duration such as 15m"
            )
        }
        let range = token.range
        let distance: Int64? =
            switch try quantity(for: subject) {
            case .whole(let whole): whole
            case .real(let real): Int64(exactly: real.rounded())
            default: nil
            }
        let (moment, overflow) = now.microseconds.addingReportingOverflow(
            (distance ?? .max).multipliedReportingOverflow(by: sign).partialValue
        )
        guard distance != nil, !overflow else { throw FilterError(range, "number is too large") }
        return Timestamp(microseconds: moment)
    }

    private func scaled(
        _ number: String,
        unit: String,
        _ subject: Subject,
        at range: Range<Int>,
        _ unitRange: Range<Int>
    ) throws(FilterError) -> Value {
        let factor = try factor(of: unit, for: subject, number: number, at: range, unitRange)
        switch Quantity(number, factor: factor) {
        case .whole(let whole): return .whole(whole)
        case .real(let real): return .real(real)
        case nil: throw FilterError(range, "number is too large")
        }
    }

    private func factor(
        of unit: String,
        for subject: Subject,
        number: String,
        at range: Range<Int>,
        _ unitRange: Range<Int>
    ) throws(FilterError) -> Double {
        let units: [(name: String, factor: Double)]
        switch subject.field.kind {
        case .size: units = Quantity.sizeUnits
        case .duration: units = Quantity.durationUnits
        default: units = []
        }
        if unit.isEmpty {
            guard subject.field.kind != .duration || Quantity(number) == .whole(0) else {
                throw FilterError(
                    range,
                    "duration without a unit; expected, for example, '\(number)ms'"
                )
            }
            return 1
        }
        if let found = units.first(where: { $0.name == unit }) { return found.factor }
        guard !units.isEmpty else {
            throw FilterError(unitRange, "'\(subject.field.name)' is a number without a unit")
        }
        let near = units.first { $0.name.lowercased() == unit.lowercased() }
        throw FilterError(
            unitRange,
            "unknown unit; expected one of " + units.map(\.name).joined(separator: ", "),
            help: near.map { "did you mean '\($0.name)'?" }
        )
    }

    private static func expected(_ kind: Field.Kind) -> String {
        switch kind {
        case .text: "a string"
        case .number: "a number"
        case .size: "a size such as 64KiB"
        case .duration: "a duration such as 250ms"
        case .time: "a time as a string"
        case .json: "a string or a number"
        }
    }
}
