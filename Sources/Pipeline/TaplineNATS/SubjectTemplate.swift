// SPDX-License-Identifier: MIT

package import TaplineModel

/// A subject with fields of the exchange: `traffic.{host}`.
///
/// A value becomes part of one token only: letters, digits, `-` and `_` are kept, and every other
/// byte becomes `_`, above all `.`, `*`, `>` and white space, which have a meaning in subjects. It
/// is cut at 128 bytes; an unknown value is `_`.
package struct SubjectTemplate: Sendable {
    /// The fields that may be named.
    private enum Field: String, CaseIterable {
        case host, method, scheme, source, state, status
    }

    private enum Part: Sendable {
        case text([UInt8])
        case field(Field)
    }

    /// The longest value of a field.
    private static let maxValue = 128
    /// The longest template.
    private static let maxText = 256

    private let parts: [Part]
    /// The subjects that the template can become, with `*` for each token with a field.
    package let pattern: String

    /// Why a text is not a template.
    package struct Problem: Error {
        /// The reason.
        package let message: String
    }

    /// Parses a template.
    package init(_ text: String) throws(Problem) {
        guard !text.isEmpty, text.utf8.count <= Self.maxText else {
            throw Problem(message: "a subject has 1 to \(Self.maxText) bytes")
        }
        guard !text.hasPrefix("$") else {
            throw Problem(message: "subjects that begin with '$' belong to the server")
        }
        var parts: [Part] = []
        var tokens: [String] = []
        for token in text.split(separator: ".", omittingEmptySubsequences: false) {
            if !tokens.isEmpty { parts.append(.text([UInt8(ascii: ".")])) }
            guard !token.isEmpty else {
                throw Problem(message: "the subject has an empty token")
            }
            let found = try Self.parse(token)
            parts += found
            let isFixed = found.allSatisfy { if case .text = $0 { true } else { false } }
            tokens.append(isFixed ? String(token) : "*")
        }
        self.parts = parts
        pattern = tokens.joined(separator: ".")
    }

    private static func parse(_ token: Substring) throws(Problem) -> [Part] {
        var parts: [Part] = []
        var rest = token
        while let first = rest.first {
            if first == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Problem(message: "'{' without '}' in a subject")
                }
                let name = rest[rest.index(after: rest.startIndex)..<end]
                guard let field = Field(rawValue: String(name)) else {
                    let names = Field.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem(
                        message: "unknown field '\(name)' in a subject; expected \(names)"
                    )
                }
                parts.append(.field(field))
                rest = rest[end...].dropFirst()
            } else {
                let end = rest.firstIndex(of: "{") ?? rest.endIndex
                let bytes = Array(rest[..<end].utf8)
                guard bytes.allSatisfy({ isPlain($0) }) else {
                    throw Problem(
                        message: "a subject consists of letters, digits, '-', '_', '.' and fields "
                            + "in braces"
                    )
                }
                parts.append(.text(bytes))
                rest = rest[end...]
            }
        }
        return parts
    }

    /// Returns whether a byte has no special meaning in a subject or a name.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Appends the subject of an exchange.
    package func append(for exchange: borrowing Exchange, to subject: inout [UInt8]) {
        for part in parts {
            switch part {
            case .text(let bytes): subject += bytes
            case .field(let field): Self.append(field, of: exchange, to: &subject)
            }
        }
    }

    private static func append(
        _ field: Field,
        of exchange: borrowing Exchange,
        to subject: inout [UInt8]
    ) {
        switch field {
        case .host:
            let range = exchange.request.hostRange
            append(exchange.request.authority.span.extracting(range), lowered: true, to: &subject)
        case .method: append(exchange.request.method.span, to: &subject)
        case .scheme: append(exchange.request.scheme.span, lowered: true, to: &subject)
        case .source: append(exchange.source.utf8.span, to: &subject)
        case .state: append(exchange.state.name.utf8.span, to: &subject)
        case .status:
            let status = exchange.response?.status
            append((status.map { String($0) } ?? "").utf8.span, to: &subject)
        }
    }

    private static func append(
        _ value: Span<UInt8>,
        lowered: Bool = false,
        to subject: inout [UInt8]
    ) {
        if value.isEmpty { return subject.append(UInt8(ascii: "_")) }
        for index in 0..<min(value.count, maxValue) {
            let byte = value[index]
            let isUpper = lowered && 0x41...0x5A ~= byte
            subject.append(isUpper ? byte | 0x20 : isPlain(byte) ? byte : UInt8(ascii: "_"))
        }
    }
}

/// A subject of a stream or a consumer, with the wildcards `*` and `>`.
package struct SubjectPattern: Sendable {
    private let tokens: [Substring]

    package init(_ text: String) {
        tokens = text.split(separator: ".", omittingEmptySubsequences: false)
    }

    /// Whether the text is a valid subject, possibly with wildcards.
    package var isValid: Bool {
        for (index, token) in tokens.enumerated() {
            if token == "*" { continue }
            if token == ">" { return index == tokens.count - 1 }
            let isPlain = token.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "*") && byte != UInt8(ascii: ">")
            }
            if token.isEmpty || !isPlain { return false }
        }
        return true
    }

    /// Whether all subjects of another pattern match this one.
    package func covers(_ other: SubjectPattern) -> Bool {
        for (index, token) in tokens.enumerated() {
            if token == ">" { return other.tokens.count > index }
            guard index < other.tokens.count, other.tokens[index] != ">" else { return false }
            if token != "*", token != other.tokens[index] { return false }
        }
        return tokens.count == other.tokens.count
    }
}
