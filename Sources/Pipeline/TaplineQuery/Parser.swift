// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Parses a filter; the order of precedence is comparisons, `not`, `and`, `or`.
///
/// **Limits**: the depth and the number of comparisons are limited, so no text can exhaust the
/// stack.
struct Parser {
    var lexer: Lexer
    var token: Token
    var builder = ProgramBuilder()
    var fields: [FilterField] = []
    let scope: FilterScope
    let limits: FilterLimits
    private var comparisons = 0
    /// Whether the current comparison has read a variable of the environment.
    var usesEnvironment = false

    init(
        _ text: String,
        scope: FilterScope,
        limits: FilterLimits
    ) throws(FilterError) {
        lexer = Lexer(Array(text.utf8))
        guard lexer.bytes.count <= limits.maxTextBytes else {
            throw FilterError(
                0..<0,
                "filter is too long; found \(lexer.bytes.count) bytes, expected at most "
                    + "\(limits.maxTextBytes)"
            )
        }
        self.scope = scope
        self.limits = limits
        token = try lexer.next()
    }

    /// Parses the whole text.
    mutating func parse() throws(FilterError) -> Node {
        if token.kind == .end {
            throw FilterError(
                token.range,
                "filter is empty; expected a comparison such as 'status >= 400'"
            )
        }
        let node = try disjunction(depth: 0)
        guard token.kind == .end else { throw unexpectedAfterComparison() }
        return node
    }

    private mutating func disjunction(depth: Int) throws(FilterError) -> Node {
        let first = try conjunction(depth: depth)
        guard isWord("or") else { return first }
        var nodes = [first]
        while isWord("or") {
            try advance()
            nodes.append(try conjunction(depth: depth))
        }
        return .or(nodes)
    }

    private mutating func conjunction(depth: Int) throws(FilterError) -> Node {
        let first = try negation(depth: depth)
        guard isWord("and") else { return first }
        var nodes = [first]
        while isWord("and") {
            try advance()
            nodes.append(try negation(depth: depth))
        }
        return .and(nodes)
    }

    private mutating func negation(depth: Int) throws(FilterError) -> Node {
        guard depth <= limits.maxDepth else {
            throw FilterError(
                token.range,
                "filter is nested too deeply; expected at most \(limits.maxDepth) levels"
            )
        }
        if isWord("not") {
            try advance()
            return .not(try negation(depth: depth + 1))
        }
        if isSymbol("(") {
            let opening = token.range
            try advance()
            let node = try disjunction(depth: depth + 1)
            guard isSymbol(")") else {
                if token.kind == .end { throw FilterError(opening, "unclosed parenthesis") }
                throw unexpectedAfterComparison()
            }
            try advance()
            return node
        }
        comparisons += 1
        guard comparisons <= limits.maxComparisons else {
            throw FilterError(
                token.range,
                "filter has too many comparisons; expected at most \(limits.maxComparisons)"
            )
        }
        return .test(try comparison())
    }

    private func unexpectedAfterComparison() -> FilterError {
        let help: String? =
            isWord("AND") ? "write 'and'" : isWord("OR") ? "write 'or'" : nil
        return FilterError(
            token.range,
            "unexpected \(found); expected 'and', 'or' or the end",
            help: help
        )
    }
}

// MARK: - Tokens

extension Parser {
    mutating func advance() throws(FilterError) {
        token = try lexer.next()
    }

    func isWord(_ word: String) -> Bool {
        token.kind == .word && lexer.bytes[token.range].elementsEqual(word.utf8)
    }

    func isSymbol(_ symbol: String) -> Bool {
        token.kind == .symbol && lexer.bytes[token.range].elementsEqual(symbol.utf8)
    }

    /// The token for messages; strings are not shown, since they may be secrets.
    var found: String {
        switch token.kind {
        case .end: "end of the filter"
        case .text: "string"
        case .number, .word, .symbol:
            token.range.count <= 64 ? "'\(lexer.text(token.range))'" : "a long word"
        }
    }
}
