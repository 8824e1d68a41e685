// SPDX-License-Identifier: MIT

internal import TaplineConfig

extension ValuePath {
    /// Reads a path such as `headers.cookie` or `json.items[0].name`, as used under `matches`,
    /// `contains`, `absent` and `exactly`.
    ///
    /// - Parameters:
    ///   - node: The text.
    ///   - side: The side whose fields are meant; `nil` if the path begins with it.
    ///   - diagnostics: Receives the problems.
    init?(_ node: ConfigNode, of side: Side?, into diagnostics: inout Diagnostics) {
        var parts = Scanner(node.text ?? "")
        guard let first = parts.key(), !first.isEmpty else {
            diagnostics.error(
                at: node.location,
                "invalid path; found \(node.found), expected a path such as headers.cookie"
            )
            return nil
        }
        var fieldName = first
        var side = side
        if side == nil {
            side = Side(rawValue: first)
            if let named = side, named != .record {
                guard let next = parts.key() else {
                    diagnostics.error(
                        at: node.location,
                        "the path names no field; found '\(first)', expected a path such as "
                            + "'\(first).\(named.fields[0].name)'"
                    )
                    return nil
                }
                fieldName = next
            } else {
                side = .record
            }
        }
        guard let side, let field = side.fields.first(where: { $0.name == fieldName }) else {
            ValuePath.reportUnknown(fieldName, side ?? .record, at: node, into: &diagnostics)
            return nil
        }
        self.init(side: side, field: field)
        guard read(&parts) else {
            diagnostics.error(
                at: node.location,
                "invalid path after '\(field.name)'; found \(node.found), expected "
                    + (field.kind == .json ? "keys and indexes" : "a name")
            )
            return nil
        }
    }

    /// Reads the part after the field's name, and returns whether it is valid.
    private mutating func read(_ parts: inout Scanner) -> Bool {
        switch field.kind {
        case .text, .number: return parts.isAtEnd
        case .names, .headers:
            if parts.isAtEnd { return true }
            name = parts.rest()
            return name != nil
        case .json:
            while !parts.isAtEnd {
                guard let step = parts.step() else { return false }
                steps.append(step)
            }
            return true
        }
    }

    private static func reportUnknown(
        _ name: String,
        _ side: Side,
        at node: ConfigNode,
        into diagnostics: inout Diagnostics
    ) {
        var names = side.fields.map(\.name)
        if side == .record { names = Side.allCases.dropLast().map(\.rawValue) + names }
        diagnostics.error(
            at: node.location,
            "unknown field '\(name)'; expected \(names.joined(separator: ", "))",
            help: Suggestion.help(for: name, among: names)
        )
    }
}

/// Splits a path into its parts: `a.b[0]["c.d"]`.
private struct Scanner {
    private var bytes: ArraySlice<UInt8>

    init(_ text: String) { bytes = Array(text.utf8)[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    /// Reads the name up to the next dot or bracket; returns `nil` at the end.
    mutating func key() -> String? {
        if bytes.first == UInt8(ascii: ".") { bytes.removeFirst() }
        let name = bytes.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        guard !name.isEmpty else { return nil }
        bytes = bytes.dropFirst(name.count)
        return String(decoding: name, as: UTF8.self)
    }

    /// Reads everything after a dot as one name.
    mutating func rest() -> String? {
        guard bytes.first == UInt8(ascii: "."), bytes.count > 1 else { return nil }
        defer { bytes = [] }
        return String(decoding: bytes.dropFirst(), as: UTF8.self)
    }

    /// Reads a key or an index; returns `nil` if it is neither.
    mutating func step() -> ValuePath.Step? {
        guard bytes.first == UInt8(ascii: "[") else {
            guard bytes.first == UInt8(ascii: ".") else { return nil }
            return key().map { .key($0) }
        }
        bytes.removeFirst()
        if bytes.first == UInt8(ascii: "\"") {
            let name = bytes.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
            bytes = bytes.dropFirst(name.count + 1)
            guard bytes.starts(with: [UInt8(ascii: "\""), UInt8(ascii: "]")]) else { return nil }
            bytes = bytes.dropFirst(2)
            return .key(String(decoding: name, as: UTF8.self))
        }
        let digits = bytes.prefix { 0x30...0x39 ~= $0 }
        bytes = bytes.dropFirst(digits.count)
        guard bytes.first == UInt8(ascii: "]"),
            let index = Int(String(decoding: digits, as: UTF8.self))
        else { return nil }
        bytes.removeFirst()
        return .index(index)
    }
}
