// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A text with values of the exchange: `user {{request.query.id}}`.
struct RuleTemplate: Sendable {
    private enum Part: Sendable {
        case text([UInt8])
        case value(TemplateValue)
    }

    /// How values are written, so that they cannot change the structure around them.
    enum Form: Sendable {
        /// As they are.
        case plain
        /// Without bytes that would end a field (RFC 9110 §5.5).
        case field
        /// Escaped as within a string of JSON.
        case json
        /// Percent-encoded, except for the path of the request.
        case path
    }

    private let parts: [Part]

    /// Parses a template.
    ///
    /// - Parameters:
    ///   - text: The text; `{{{{` stands for `{{`.
    ///   - groups: How many groups of a regular expression can be named, the whole match included.
    /// - Throws: `TemplateError`, with the range in the text.
    init(_ text: String, groups: Int = 0) throws(TemplateError) {
        let bytes = Array(text.utf8)
        var parts: [Part] = []
        var plain: [UInt8] = []
        var position = 0
        while position < bytes.count {
            guard RuleTemplate.isPair(bytes, position, .ascii("{")) else {
                plain.append(bytes[position])
                position += 1
                continue
            }
            if RuleTemplate.isPair(bytes, position + 2, .ascii("{")) {
                plain += [.ascii("{"), .ascii("{")]
                position += 4
                continue
            }
            var end = position + 2
            while end < bytes.count, !RuleTemplate.isPair(bytes, end, .ascii("}")) { end += 1 }
            guard end < bytes.count else {
                throw TemplateError(range: position..<bytes.count, unknownName: nil)
            }
            let name = String(decoding: bytes[(position + 2)..<end], as: UTF8.self)
            guard let value = TemplateValue(name, groups: groups) else {
                throw TemplateError(range: position..<end + 2, unknownName: name)
            }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = []
            parts.append(.value(value))
            position = end + 2
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    /// Creates a template without values.
    init(constant bytes: [UInt8]) { parts = bytes.isEmpty ? [] : [.text(bytes)] }

    /// The text, if there are no values in it.
    var constant: [UInt8]? {
        var text: [UInt8] = []
        for part in parts {
            guard case .text(let bytes) = part else { return nil }
            text += bytes
        }
        return text
    }

    /// The parts without values.
    var texts: [[UInt8]] {
        parts.compactMap { if case .text(let bytes) = $0 { bytes } else { nil } }
    }

    /// Whether a value occurs in the text.
    func uses(_ wanted: TemplateValue) -> Bool {
        parts.contains { if case .value(let value) = $0 { value == wanted } else { false } }
    }

    /// Whether a value of the response occurs in the text.
    var usesResponse: Bool {
        parts.contains { if case .value(let value) = $0 { value.isOfResponse } else { false } }
    }

    /// Fills in the values; those that the exchange lacks are empty.
    ///
    /// **Limits**: values that would make the text longer than `BodyContent.maxBytes` are left out.
    func filled(
        _ values: inout RuleValues,
        _ exchange: borrowing Exchange,
        _ form: Form
    ) -> [UInt8] {
        var output: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let bytes): output += bytes
            case .value(let value):
                let bytes = value.read(&values, exchange)
                let written = value.isWritten(in: form) ? bytes : form.written(bytes)
                if output.count + written.count <= BodyContent.maxBytes { output += written }
            }
        }
        return output
    }

    private static func isPair(_ bytes: [UInt8], _ position: Int, _ byte: UInt8) -> Bool {
        position + 1 < bytes.count && bytes[position] == byte && bytes[position + 1] == byte
    }
}

extension RuleTemplate.Form {
    /// Writes a value in this form.
    func written(_ value: [UInt8]) -> [UInt8] {
        switch self {
        case .plain: value
        case .field: value.filter { !$0.endsField }
        case .json: JSONString.escaped(value)
        case .path: PercentEncoding.encode(value.span)
        }
    }
}

/// The reason that a text is not a valid template.
struct TemplateError: Error {
    /// The range of the offending part in the text.
    let range: Range<Int>
    /// The name that no value has; `nil` if a value has no end.
    let unknownName: String?
}
