// SPDX-License-Identifier: MIT

import TaplineModel

@testable import LuaStage

/// A script split into statements, so that those that cannot run here can be skipped individually.
///
/// The inner statements of `do`, `if`, `for`, `while` and `repeat` are skipped individually; a
/// function is skipped as a whole.
struct SuiteScript {
    /// A statement; its children are the statements of a block that runs in place.
    struct Statement {
        let range: Range<Int>
        let tokens: Range<Int>
        var children: [Statement] = []
        var isBlock = false
    }

    let bytes: [UInt8]
    let tokens: [LuaToken]
    let statements: [Statement]

    private static let blocks: Set<String> = ["do", "if", "for", "while", "repeat"]

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        var lexer = LuaLexer(bytes)
        var tokens: [LuaToken] = []
        while true {
            let token = try lexer.next()
            if token.kind == .end { break }
            tokens.append(token)
        }
        self.tokens = tokens
        var parser = try LuaParser(bytes)
        try parser.parse()
        var read: [Statement] = []
        for (range, isInFunction) in parser.statements where !isInFunction {
            let first = tokens.firstIndex(startingAt: range.lowerBound)
            let last = tokens.firstIndex(startingAt: range.upperBound)
            if tokens[first].kind == .symbol(";") { continue }
            var statement = Statement(range: range, tokens: first..<last)
            statement.isBlock = Self.blocks.contains { tokens[first].kind == .symbol($0) }
            while let inner = read.last, inner.range.lowerBound >= range.lowerBound {
                statement.children.insert(inner, at: 0)
                read.removeLast()
            }
            read.append(statement)
        }
        statements = read
    }

    /// The line number of a byte, starting at 1.
    func line(of position: Int) -> Int {
        bytes[..<position].count { $0 == .ascii("\n") } + 1
    }

    /// A hash of the tokens of a statement, regardless of white space, so that differences can be
    /// listed without quoting (FNV-1a).
    func mark(of statement: Statement) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for token in tokens[statement.tokens] {
            for byte in bytes[token.range] + [0] { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        }
        return hash
    }

    // MARK: Names

    /// The names that tokens use: names of variables, and names of members with a dot.
    func uses(in range: Range<Int>) -> Set<String> {
        var range = range
        // The initial value of a local variable does not see the variable.
        if let first = range.first, tokens[first].kind == .symbol("local"),
            tokens[first + 1].kind == .name
        {
            let values = range.first { tokens[$0].kind == .symbol("=") } ?? range.upperBound
            range = values..<range.upperBound
        }
        var names: Set<String> = []
        var braces = 0
        let written = Set(targets(of: range))
        for index in range where !written.contains(index) {
            let token = tokens[index]
            switch token.kind {
            case .symbol("{"): braces += 1
            case .symbol("}"): braces -= 1
            case .string:
                names.formUnion(SuiteDifferences.events.filter { text(token).contains($0) })
            case .name where follows(index, ".") || follows(index, ":"):
                names.insert(".\(token.text)")
                names.formUnion(SuiteDifferences.events.filter { token.text == $0 })
            case .name:
                let isKey = braces > 0 && isKey(index)
                names.formUnion(SuiteDifferences.events.filter { token.text == $0 })
                if !isKey, !requiresLibrary(index) { names.insert(token.text) }
            default: break
            }
        }
        return names.subtracting(declared(in: range, deep: true))
    }

    /// Whether a token is `require` with the name of a library that scripts have.
    private func requiresLibrary(_ index: Int) -> Bool {
        guard tokens[index].text == "require" else { return false }
        let next = tokens[index...].dropFirst().first { $0.kind != .symbol("(") }
        return next?.kind == .string && SuiteDifferences.libraries.contains(next?.text ?? "")
    }

    private func text(_ token: LuaToken) -> String {
        String(decoding: bytes[token.range], as: UTF8.self)
    }

    private func follows(_ index: Int, _ symbol: String) -> Bool {
        index > 0 && tokens[index - 1].kind == .symbol(symbol)
    }

    private func precedes(_ index: Int, _ symbols: Set<String>) -> Bool {
        guard index + 1 < tokens.count, case .symbol(let next) = tokens[index + 1].kind else {
            return false
        }
        return symbols.contains(next)
    }

    private func isKey(_ index: Int) -> Bool {
        precedes(index, ["="])
            && (follows(index, "{") || follows(index, ",") || follows(index, ";"))
    }

    /// The names that statements declare: variables, and if `deep` also parameters.
    func declared(in range: Range<Int>, deep: Bool) -> Set<String> {
        var names: Set<String> = []
        for index in range {
            switch tokens[index].kind {
            case .symbol("local") where deep || index == range.lowerBound,
                .symbol("for") where deep || index == range.lowerBound:
                names.formUnion(list(from: index + 1, in: range))
            case .symbol("function") where deep:
                guard var next = range[index...].first(where: { tokens[$0].kind == .symbol("(") })
                else { break }
                next += 1
                names.formUnion(list(from: next, in: range))
            default: break
            }
        }
        return names
    }

    /// Names separated by commas, without attributes.
    private func list(from start: Int, in range: Range<Int>) -> [String] {
        var names: [String] = []
        var index = start
        if index < range.upperBound, tokens[index].kind == .symbol("function") { index += 1 }
        while index < range.upperBound, tokens[index].kind == .name {
            names.append(tokens[index].text)
            index += 1
            if index + 2 < range.upperBound, tokens[index].kind == .symbol("<") { index += 3 }
            guard index < range.upperBound, tokens[index].kind == .symbol(",") else { break }
            index += 1
        }
        return names
    }

    /// The variables that a statement assigns, without members.
    func assigned(by statement: Statement) -> Set<String> {
        var names = declared(in: statement.tokens, deep: false)
        names.formUnion(targets(of: statement.tokens).map { tokens[$0].text })
        for child in statement.children {
            names.formUnion(
                assigned(by: child).subtracting(declared(in: child.tokens, deep: false))
            )
        }
        return names
    }

    /// The indices of the variables that a statement writes: the plain names on the left of an
    /// assignment, and the name of a function.
    private func targets(of range: Range<Int>) -> [Int] {
        guard let first = range.first else { return [] }
        if tokens[first].kind == .symbol("function") {
            return precedes(first + 1, [".", ":"]) ? [] : [first + 1]
        }
        guard tokens[first].kind == .name else { return [] }
        var depth = 0
        var found: [Int] = []
        for index in range {
            switch tokens[index].kind {
            case .symbol("("), .symbol("["), .symbol("{"): depth += 1
            case .symbol(")"), .symbol("]"), .symbol("}"): depth -= 1
            case .symbol("=") where depth == 0: return found
            case .symbol("function") where depth == 0: return []
            case .name where depth == 0 && precedes(index, [",", "="]) && !follows(index, "."):
                found.append(index)
            default: break
            }
        }
        return []
    }
}

extension [LuaToken] {
    /// The index of the first token that starts at or after a position.
    fileprivate func firstIndex(startingAt position: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].range.lowerBound < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
