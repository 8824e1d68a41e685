// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Parser {
    /// Parses a number with a unit that fits the field.
    mutating func quantity(for subject: Subject) throws(FilterError) -> Value? {
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
    mutating func literal(for subject: Subject) throws(FilterError) -> Value? {
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
    mutating func relativeTime() throws(FilterError) -> Timestamp {
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
