// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The variables of a collection, which texts contain as `{{name}}`.
struct PostmanVariables {
    /// How many bytes all replacements of a file may add.
    private static let maxBytes = 16 << 20
    /// The maximum length of a name with its closing braces.
    private static let maxName = 256

    private var values: [[UInt8]: [UInt8]] = [:]
    private var added = 0
    /// Whether a text contained a name without a value, or a value that was not replaced any more.
    private(set) var hasUnknown = false

    /// Reads the list `variable` of a collection.
    mutating func read(_ list: JSONValue) {
        var elements = list.elements
        while let element = elements.next() {
            guard let key = element.text("key") ?? element.text("id"),
                element.member("disabled")?.asBool != true,
                let value = element.member("value"), value.isScalar, !value.isNull
            else { continue }
            values[Array(key.utf8)] = Array(copying: value.bytes)
        }
    }

    /// A text with the values of its variables, whose own variables are not replaced.
    mutating func replaced(_ text: [UInt8]) -> [UInt8] {
        let open = Array("{{".utf8)
        let close = Array("}}".utf8)
        var output: [UInt8] = []
        var position = 0
        while let start = text.span.firstIndex(of: open.span, in: position..<text.count) {
            let limit = min(start + 2 + Self.maxName, text.count)
            let found = text.span.firstIndex(of: close.span, in: start + 2..<limit)
            let name = found.map { Array(text[text.span.trimmed(start + 2..<$0)]) }
            if let end = found, let value = name.flatMap({ values[$0] }),
                added + value.count <= Self.maxBytes
            {
                added += value.count
                output += text[position..<start]
                output += value
                position = end + 2
            } else {
                hasUnknown = true
                output += text[position..<start + 2]
                position = start + 2
            }
        }
        return output + text[position...]
    }

    /// Forgets that a text contained an unknown name.
    mutating func resetUnknown() { hasUnknown = false }
}

extension JSONValue {
    /// The text of a member that is a string.
    func text(_ name: StaticString) -> String? { member(name)?.asString }

    /// Whether this is a string, a number, a boolean or null.
    var isScalar: Bool { kind != .object && kind != .array }
}
