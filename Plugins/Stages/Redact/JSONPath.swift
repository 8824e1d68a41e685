// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A path such as `$.card.number`, `$.items[*].token` or `$..secret` (based on RFC 9535).
struct JSONPath: Sendable {
    /// What a step selects.
    enum Selector: Sendable {
        case name(NameRules)
        case index(Int)
        case anyIndex
        /// `*` after a dot: any name or index.
        case any
    }

    /// One step of a path.
    struct Step: Sendable {
        let selector: Selector
        /// Whether any number of levels may precede it: `..`.
        let isDeep: Bool
    }

    let steps: [Step]

    /// Parses a path that begins with `$`; a text without `$` is a name at any depth instead.
    init(_ text: String) throws(JSONPathError) {
        var reader = JSONPathReader(Array(text.utf8))
        steps = try reader.read()
    }
}

/// The reason why a text is not a valid path.
struct JSONPathError: Error, Equatable {
    /// What is wrong.
    let message: String
    /// The byte offset of the problem.
    let offset: Int
}

/// Parses the text of a path.
private struct JSONPathReader {
    let bytes: [UInt8]
    var position = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() throws(JSONPathError) -> [JSONPath.Step] {
        var steps: [JSONPath.Step] = []
        while position < bytes.count {
            var isDeep = false
            var needsName = false
            if bytes[position] == .ascii(".") {
                position += 1
                needsName = true
                if position < bytes.count, bytes[position] == .ascii(".") {
                    position += 1
                    isDeep = true
                    needsName = position >= bytes.count || bytes[position] != .ascii("[")
                }
            }
            let selector = needsName ? try name() : try bracket()
            steps.append(JSONPath.Step(selector: selector, isDeep: isDeep))
        }
        guard !steps.isEmpty else { throw fail("path has no steps; expected '.name' after '$'") }
        guard steps.count <= 32 else { throw fail("path is too long; expected at most 32 steps") }
        return steps
    }

    private func fail(_ message: String) -> JSONPathError {
        JSONPathError(message: message, offset: min(position, bytes.count))
    }

    private mutating func name() throws(JSONPathError) -> JSONPath.Selector {
        let start = position
        while position < bytes.count, bytes[position] != .ascii("."), bytes[position] != .ascii("[")
        {
            position += 1
        }
        guard position > start else { throw fail("name is missing after '.'") }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return text == "*" ? .any : .name(rules(text))
    }

    private func rules(_ name: String) -> NameRules {
        var rules = NameRules()
        // Only the match matters, so any rule will do.
        rules.add(name, Rule(0, .mask))
        return rules
    }

    /// Parses a selector in brackets: `[*]`, `[0]` or `['name']`.
    private mutating func bracket() throws(JSONPathError) -> JSONPath.Selector {
        guard bytes[position] == .ascii("[") else {
            throw fail("unexpected character; expected '.' or '['")
        }
        position += 1
        guard position < bytes.count else { throw fail("']' is missing") }
        if bytes[position] == .ascii("'") || bytes[position] == .ascii("\"") {
            return try quotedName(bytes[position])
        }
        let start = position
        while position < bytes.count, bytes[position] != .ascii("]") { position += 1 }
        guard position < bytes.count else { throw fail("']' is missing") }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if text == "*" {
            position += 1
            return .anyIndex
        }
        guard let index = Int(text), index >= 0 else {
            position = start
            throw fail("unknown selector; expected [*], a number from 0 or a name in quotes")
        }
        position += 1
        return .index(index)
    }

    private mutating func quotedName(_ quote: UInt8) throws(JSONPathError) -> JSONPath.Selector {
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != quote { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard position + 1 < bytes.count, bytes[position + 1] == .ascii("]") else {
            throw fail("'\(Character(Unicode.Scalar(quote)))]' is missing")
        }
        position += 2
        return .name(rules(text))
    }
}
