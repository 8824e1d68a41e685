// SPDX-License-Identifier: MIT

extension OptionType where Value == String {
    /// Any text; numbers and booleans count as text, lists and null do not.
    public static var text: Self {
        Self(
            name: "text",
            schema: ["type": ["string", "number", "boolean"]],
            describe: { YAMLText.scalar($0) }
        ) {
            node,
            context in
            node.text ?? context.mismatch(node, expected: "text")
        }
    }

    /// A path: relative ones are resolved against the folder of the file; `-` is kept.
    public static var path: Self {
        Self(name: "path", schema: ["type": "string"], describe: { YAMLText.scalar($0) }) {
            node,
            context in
            guard let text = node.text else {
                return context.mismatch(node, expected: "a path")
            }
            guard !text.isEmpty, !text.utf8.contains(0) else {
                return context.error(node, "the path is empty or contains a zero byte")
            }
            let folder = node.location.source.folder
            if text == "-" || text.utf8.first == UInt8(ascii: "/") || folder.isEmpty {
                return text
            }
            return folder.utf8.last == UInt8(ascii: "/") ? folder + text : folder + "/" + text
        }
    }
}

extension OptionType where Value == Bool {
    /// `true` or `false`, without quotes (YAML 1.2 §10.3.2); `yes`, `no`, `on` and `off` are text.
    public static var bool: Self {
        Self(name: "true or false", schema: ["type": "boolean"], describe: { String($0) }) {
            node,
            context in
            if case .scalar(let text, isPlain: true) = node.value {
                switch text {
                case "true", "True", "TRUE": return true
                case "false", "False", "FALSE": return false
                default: break
                }
            }
            let isOld = ["yes", "no", "on", "off", "y", "n"].contains(node.text?.lowercased() ?? "")
            return context.mismatch(
                node,
                expected: "true or false",
                help: isOld ? "write true or false; yes, no, on and off are text in YAML 1.2" : nil
            )
        }
    }
}

extension OptionType where Value == Int {
    /// An integer within bounds.
    public static func integer(in range: ClosedRange<Int> = Int.min...Int.max) -> Self {
        let bounds = Bounds(range.lowerBound, range.upperBound, lowest: .min, highest: .max)
        var schema: [(String, JSONSchemaNode)] = [("type", "integer")]
        if range.lowerBound != .min { schema.append(("minimum", .integer(range.lowerBound))) }
        if range.upperBound != .max { schema.append(("maximum", .integer(range.upperBound))) }
        return Self(name: "integer", schema: .object(schema), describe: { String($0) }) {
            node,
            context in
            guard case .scalar(let text, isPlain: true) = node.value, let value = Int(text) else {
                return context.mismatch(node, expected: "a whole number\(bounds.text)")
            }
            guard range.contains(value) else {
                return context.error(
                    node,
                    "the number is out of range; found \(value), expected a whole number"
                        + bounds.text
                )
            }
            return value
        }
    }
}

extension OptionType where Value == Double {
    /// A finite number within bounds.
    public static func number(in range: ClosedRange<Double>? = nil) -> Self {
        let bounds = range.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""
        var schema: [(String, JSONSchemaNode)] = [("type", "number")]
        if let range {
            schema.append(("minimum", .number(range.lowerBound)))
            schema.append(("maximum", .number(range.upperBound)))
        }
        return Self(name: "number", schema: .object(schema), describe: { String($0) }) {
            node,
            context in
            guard case .scalar(let text, isPlain: true) = node.value, let value = decimal(text)
            else {
                return context.mismatch(node, expected: "a number\(bounds)")
            }
            guard range?.contains(value) ?? true else {
                return context.error(
                    node,
                    "the number is out of range; found \(value), expected a number\(bounds)"
                )
            }
            return value
        }
    }
}

/// Parses a decimal number in JSON notation; `nil` for hexadecimal, infinite and all other text.
private func decimal(_ text: String) -> Double? {
    let isDecimal = text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
    guard isDecimal, let value = Double(text), value.isFinite else { return nil }
    return value
}

/// The bounds of a number in words.
private struct Bounds<Number: Comparable & Sendable>: Sendable {
    let text: String

    init(_ low: Number, _ high: Number, lowest: Number, highest: Number) {
        switch (low == lowest, high == highest) {
        case (true, true): text = ""
        case (false, true): text = ", at least \(low)"
        case (true, false): text = ", at most \(high)"
        case (false, false): text = " from \(low) to \(high)"
        }
    }
}
