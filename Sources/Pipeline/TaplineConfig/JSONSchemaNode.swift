// SPDX-License-Identifier: MIT

/// A JSON value for schemas: output is deterministic, and objects keep their order.
package indirect enum JSONSchemaNode: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONSchemaNode])
    case object([(String, JSONSchemaNode)])
}

extension JSONSchemaNode: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// A boolean.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    package init(integerLiteral value: Int) { self = .integer(value) }
    /// An array.
    package init(arrayLiteral elements: JSONSchemaNode...) { self = .array(elements) }
    /// An object that keeps the order of its keys.
    package init(dictionaryLiteral elements: (String, JSONSchemaNode)...) {
        self = .object(elements)
    }
}

extension JSONSchemaNode: Equatable {
    /// Returns whether both have the same text.
    package static func == (left: JSONSchemaNode, right: JSONSchemaNode) -> Bool {
        left.text == right.text
    }
}

extension JSONSchemaNode {
    /// Returns the value of a key of this object.
    package subscript(key: String) -> JSONSchemaNode? {
        guard case .object(let pairs) = self else { return nil }
        return pairs.first { $0.0 == key }?.1
    }

    /// Returns this object with additional keys; a value that is not an object is returned
    /// unchanged.
    package func adding(_ pairs: [(String, JSONSchemaNode)]) -> JSONSchemaNode {
        guard case .object(let own) = self else { return self }
        return .object(own + pairs)
    }

    /// The JSON text on one line.
    package var text: String {
        var result = ""
        write(to: &result, indent: nil)
        return result
    }

    /// The JSON text, indented by two spaces, with a final newline.
    package var prettyText: String {
        var result = ""
        write(to: &result, indent: 0)
        return result + "\n"
    }

    private func write(to result: inout String, indent: Int?) {
        switch self {
        case .null: result += "null"
        case .bool(let value): result += value ? "true" : "false"
        case .integer(let value): result += String(value)
        case .number(let value): result += value.isFinite ? String(value) : "null"
        case .string(let value): Self.write(value, to: &result)
        case .array(let elements):
            let pairs = elements.map { (key: String?.none, value: $0) }
            Self.write(pairs, "[", "]", to: &result, indent: indent)
        case .object(let own):
            let pairs = own.map { (key: String?.some($0.0), value: $0.1) }
            Self.write(pairs, "{", "}", to: &result, indent: indent)
        }
    }

    private static func write(
        _ pairs: [(key: String?, value: JSONSchemaNode)],
        _ open: String,
        _ close: String,
        to result: inout String,
        indent: Int?
    ) {
        result += open
        let inner = indent.map { $0 + 2 }
        for (index, pair) in pairs.enumerated() {
            if index > 0 {
                result += ","
            }
            if let inner {
                result += "\n" + String(repeating: " ", count: inner)
            }
            if let key = pair.key {
                write(key, to: &result)
                result += indent == nil ? ":" : ": "
            }
            pair.value.write(to: &result, indent: inner)
        }
        if let indent, !pairs.isEmpty {
            result += "\n" + String(repeating: " ", count: indent)
        }
        result += close
    }

    /// Writes a string with the escapes that RFC 8259 §7 requires.
    private static func write(_ text: String, to result: inout String) {
        result += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ":
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        result += "\""
    }
}
