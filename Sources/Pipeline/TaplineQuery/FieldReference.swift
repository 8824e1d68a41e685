// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A field of exchanges outside of a comparison, such as one that statistics group by.
package struct FieldReference: Sendable {
    /// The field.
    package let field: Field
    /// The field as it was written: `status`, `tag["team"]`.
    package let name: String
    /// The name in brackets.
    let key: [UInt8]
    /// The path of a JSON field.
    let path: JSONPath?

    private init(_ parser: inout Parser) throws(FilterError) {
        let subject = try parser.subject()
        guard subject.field != .any, subject.field != .env else {
            throw FilterError(
                subject.range,
                "'\(subject.field.name)' is no value of an exchange; expected another field"
            )
        }
        field = subject.field
        name = parser.lexer.text(subject.range)
        key = subject.key
        path = field.isJSON ? try parser.path(of: subject) : nil
    }

    /// Parses fields that are separated by commas, as in `route, tag["team"]`.
    ///
    /// - Parameter text: The fields.
    /// - Returns: At least one field.
    /// - Throws: `FilterError`, with the offset in the text.
    package static func list(_ text: String) throws(FilterError) -> [FieldReference] {
        var parser = try Parser(text, scope: FilterScope(isStore: true), limits: FilterLimits())
        var fields = [try FieldReference(&parser)]
        while parser.isSymbol(",") {
            try parser.advance()
            fields.append(try FieldReference(&parser))
        }
        guard parser.token.kind == .end else {
            throw FilterError(
                parser.token.range,
                "unexpected \(parser.found); expected ',' or the end"
            )
        }
        return fields
    }

    /// Whether values are numbers; the values of other fields are texts.
    package var isNumber: Bool {
        switch field.kind {
        case .number, .size, .duration, .time: true
        case .text, .json: false
        }
    }
}

extension FieldReference: Hashable {
    /// Whether both name the same field.
    package static func == (left: FieldReference, right: FieldReference) -> Bool {
        left.field == right.field && left.key == right.key
    }

    /// Hashes the field and the name in brackets.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(field)
        hasher.combine(key)
    }
}
