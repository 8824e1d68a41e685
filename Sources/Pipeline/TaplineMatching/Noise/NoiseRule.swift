// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A part of messages whose differences do not count, or an array whose elements have no order.
///
/// Its text is a line of a file: `GET /orders/{id} varies $.created_at`.
package struct NoiseRule: Sendable, Hashable {
    /// What a rule does.
    package enum Action: Sendable, Hashable {
        /// The value may be another one of the same type, but not missing.
        case varies
        /// The part is not compared.
        case ignore
        /// The elements of an array are paired by a rule.
        case array(ArrayOrder)

        /// The words before the path.
        var text: String {
            switch self {
            case .varies: "varies"
            case .ignore: "ignore"
            case .array(.unordered): "unordered"
            case .array(.key(let name)): "key \(name)"
            }
        }
    }

    /// The method; `nil` for all methods.
    package let method: String?
    /// The path of the route, such as `/orders/{id}`; `nil` for all routes.
    package let route: String?
    package let action: Action
    /// The part and everything in it, without positions: `$.items[*].id`, `header.location`.
    package let path: String

    package init(method: String?, route: String?, _ action: Action, path: String) {
        self.method = method
        self.route = route
        self.action = action
        self.path = path
    }

    /// The rule as a line.
    package var text: String { "\(method ?? "*") \(route ?? "*") \(action.text) \(path)" }

    /// Whether the rule holds for the requests of a route.
    func covers(_ method: String, _ route: String) -> Bool {
        (self.method == nil || self.method == method)
            && (self.route == nil || self.route == route)
    }
}

/// An error in a file of rules.
package struct NoiseRuleError: Error, Equatable, CustomStringConvertible {
    /// The number of the line, from 1.
    package let line: Int
    /// The number of the character in the line, from 1.
    package let column: Int
    package let message: String

    package init(line: Int, column: Int, message: String) {
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String { "line \(line), column \(column): \(message)" }
}

/// Rules about what differs between runs of the same program.
///
/// **Shape**: text with one rule a line; empty lines and what follows a `#` after a blank are
/// comments.
package struct NoiseRules: Sendable, Equatable {
    /// A rule with its comment.
    package struct Line: Sendable, Equatable {
        package let rule: NoiseRule
        package let comment: String
    }

    package private(set) var lines: [Line] = []
    private var known: Set<NoiseRule> = []
    /// The positions of the rules by route; `nil` for those of all routes.
    private var positions: [String?: [Int]] = [:]

    package init() {}

    /// Whether there are no rules.
    package var isEmpty: Bool { lines.isEmpty }

    package mutating func append(_ rule: NoiseRule, comment: String = "") {
        guard known.insert(rule).inserted else { return }
        positions[rule.route, default: []].append(lines.count)
        lines.append(Line(rule: rule, comment: comment))
    }

    package mutating func append(contentsOf other: NoiseRules) {
        for line in other.lines { append(line.rule, comment: line.comment) }
    }

    /// Returns the rules of a route, with those of all routes, in order.
    func lines(of route: String) -> [Line] {
        let own = positions[route] ?? []
        let all = positions[String?.none] ?? []
        return (own + all).sorted().map { lines[$0] }
    }

    /// The rules as text, which `init(_:)` reads.
    package var text: String {
        let rules = lines.map(\.rule.text)
        let width = min(rules.map(\.count).max() ?? 0, 60)
        return zip(rules, lines).map { rule, line in
            guard !line.comment.isEmpty else { return "\(rule)\n" }
            let blanks = String(repeating: " ", count: max(0, width - rule.count))
            return "\(rule)\(blanks)  # \(line.comment)\n"
        }
        .joined()
    }

    /// Parses rules.
    ///
    /// - Parameter text: One rule a line.
    /// - Throws: `NoiseRuleError` for the first line that is no rule.
    package init(_ text: String) throws(NoiseRuleError) {
        // Names may contain other characters that end lines, such as U+2028.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (number, line) in lines.enumerated() {
            var parser = NoiseRuleParser(line, number: number + 1)
            guard let rule = try parser.rule() else { continue }
            append(rule, comment: parser.comment)
        }
    }
}

/// Parses one line of a file of rules.
private struct NoiseRuleParser {
    /// The namespaces of paths.
    static let roots = [
        "$", "form", "xml", "html", "text", "body", "header", "status", "grpc", "outcome",
        "messages",
    ]

    private let line: Substring
    private let number: Int
    private var rest: Substring
    /// The comment at the end of the line.
    private(set) var comment = ""

    init(_ line: Substring, number: Int) {
        self.line = line
        self.number = number
        rest = line
        if let mark = Self.comment(in: line) {
            rest = line[..<mark]
            comment = line[line.index(after: mark)...].trimmed
        }
    }

    /// Where the comment of a line begins: at a `#` after a blank or at the start, outside of
    /// quoted names.
    private static func comment(in line: Substring) -> Substring.Index? {
        var (isQuoted, isEscaped, isAfterBlank) = (false, false, true)
        for index in line.indices {
            let character = line[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == "#", !isQuoted, isAfterBlank {
                return index
            }
            isAfterBlank = character == " " || character == "\t"
        }
        return nil
    }

    /// Returns the rule of the line; `nil` if it has none.
    mutating func rule() throws(NoiseRuleError) -> NoiseRule? {
        skipBlanks()
        guard !rest.isEmpty else { return nil }
        var method: String?
        var route: String?
        // A line may also begin with the action or the path, and then holds for all routes.
        if !Self.isPath(rest), Self.action(rest.prefix { !$0.isBlank }) == nil {
            method = try word("a method, '*' or a path")
            guard let first = rest.first, first == "/" || first == "*" else {
                throw error("expected a route such as /orders/{id}, or '*'")
            }
            route = try word("a route")
        }
        var action = NoiseRule.Action.varies
        if !Self.isPath(rest) {
            let start = rest
            let name = try word("'varies', 'ignore', 'unordered' or 'key', or a path")
            if name == "key" {
                action = .array(.key(try word("the name of a member")))
            } else if let found = Self.action(name[...]) {
                action = found
            } else {
                rest = start
                throw error(
                    "unknown word '\(name)'; expected 'varies', 'ignore', 'unordered', 'key' or a "
                        + "path that begins with \(Self.roots.joined(separator: ", "))"
                )
            }
        }
        guard Self.isPath(rest) else {
            throw error(
                "expected a path that begins with \(Self.roots.joined(separator: ", "))"
            )
        }
        return NoiseRule(
            method: method == "*" ? nil : method,
            route: route == "*" ? nil : route,
            action,
            path: rest.trimmed
        )
    }

    private static func action(_ name: Substring) -> NoiseRule.Action? {
        switch name {
        case "varies": .varies
        case "ignore": .ignore
        case "unordered": .array(.unordered)
        case "key": .array(.key(""))
        default: nil
        }
    }

    private static func isPath(_ text: Substring) -> Bool {
        roots.contains { root in
            guard text.hasPrefix(root) else { return false }
            guard let next = text.dropFirst(root.count).first else { return true }
            return next == "." || next == "[" || next.isBlank
        }
    }

    private mutating func word(_ expected: String) throws(NoiseRuleError) -> String {
        let word = rest.prefix { !$0.isBlank }
        guard !word.isEmpty else { throw error("expected \(expected)") }
        rest = rest.dropFirst(word.count)
        skipBlanks()
        return String(word)
    }

    private mutating func skipBlanks() { rest = rest.drop(while: \.isBlank) }

    private func error(_ message: String) -> NoiseRuleError {
        let column = line.distance(from: line.startIndex, to: rest.startIndex) + 1
        return NoiseRuleError(line: number, column: column, message: message)
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension Substring {
    /// The text without blanks at both ends.
    fileprivate var trimmed: String {
        var text = drop(while: \.isBlank)
        while let last = text.last, last.isBlank || last == "\r" { text.removeLast() }
        return String(text)
    }
}
