// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// Reads a script statement by statement (reference manual of Lua 5.4, §9) and collects problems
/// with its names.
///
/// No tree is built: names are resolved while they are read. Findings that depend on a variable
/// that a later line reassigns are discarded at the end, because its value is then unknown.
struct LuaParser {
    /// The nesting depth that Lua itself supports (`LUAI_MAXCCALLS`).
    static let maxDepth = 195

    private var lexer: LuaLexer
    /// The next token to read.
    private(set) var token: LuaToken
    private var ahead: LuaToken?
    /// The end of the last token that was read.
    private(set) var lastEnd = 0
    private var depth = 0
    /// The ranges of the statements, inner before outer ones; without `return` statements.
    private(set) var statements: [(range: Range<Int>, isInFunction: Bool)] = []
    var scope = LuaScope()
    var findings = LuaFindings()

    init(_ bytes: [UInt8]) throws(LuaSyntaxError) {
        lexer = LuaLexer(bytes)
        token = try lexer.next()
    }

    /// Reads the whole script.
    mutating func parse() throws(LuaSyntaxError) {
        scope.beginFunction(isVariadic: true, hook: nil)
        let returns = try block()
        guard token.kind == .end else { throw expected("a statement") }
        findings.returnsValue = returns
        scope.endFunction()
    }

    // MARK: Tokens

    @discardableResult
    mutating func take() throws(LuaSyntaxError) -> LuaToken {
        let taken = token
        lastEnd = taken.range.upperBound
        if let next = ahead {
            token = next
            ahead = nil
        } else {
            token = try lexer.next()
        }
        return taken
    }

    /// The token after the next token.
    mutating func peek() throws(LuaSyntaxError) -> LuaToken {
        if let ahead { return ahead }
        let next = try lexer.next()
        ahead = next
        return next
    }

    func at(_ symbol: String) -> Bool { token.kind == .symbol(symbol) }

    /// Consumes a symbol or keyword if it is next; returns whether it was.
    mutating func skip(_ symbol: String) throws(LuaSyntaxError) -> Bool {
        guard at(symbol) else { return false }
        try take()
        return true
    }

    mutating func require(_ symbol: String) throws(LuaSyntaxError) {
        guard try skip(symbol) else { throw expected("'\(symbol)'") }
    }

    /// Consumes the word that closes the block that an opening token started.
    mutating func close(_ symbol: String, _ opening: LuaToken) throws(LuaSyntaxError) {
        if try skip(symbol) { return }
        var error = expected("'\(symbol)' to close \(opening.description)")
        error.help = "each 'function', 'if', 'for', 'while' and 'do' needs its own 'end'"
        throw symbol == "end" ? error : expected("'\(symbol)' to close \(opening.description)")
    }

    mutating func name() throws(LuaSyntaxError) -> LuaToken {
        guard token.kind == .name else { throw expected("a name") }
        return try take()
    }

    func expected(_ what: String) -> LuaSyntaxError {
        LuaSyntaxError(
            message: "expected \(what); found \(token.description)",
            range: token.range
        )
    }

    /// Runs `body` one nesting level deeper.
    mutating func nested<Result>(
        _ body: (inout LuaParser) throws(LuaSyntaxError) -> Result
    ) throws(LuaSyntaxError) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else {
            throw LuaSyntaxError(message: "nested too deeply", range: token.range)
        }
        return try body(&self)
    }
}

// MARK: - Statements

extension LuaParser {
    private var endsBlock: Bool {
        switch token.kind {
        case .end: true
        case .symbol(let word): ["else", "elseif", "end", "until"].contains(word)
        default: false
        }
    }

    /// Reads statements up to the word that ends them; returns whether they return a value.
    @discardableResult
    mutating func block() throws(LuaSyntaxError) -> Bool {
        while !endsBlock {
            if at("return") {
                let isEmpty = try returnStatement()
                return !isEmpty
            }
            let start = token.range.lowerBound
            try nested { parser throws(LuaSyntaxError) in try parser.statement() }
            statements.append((start..<lastEnd, scope.isInFunction))
        }
        return false
    }

    private mutating func scopedBlock() throws(LuaSyntaxError) {
        scope.beginBlock()
        try block()
        scope.endBlock()
    }

    private mutating func returnStatement() throws(LuaSyntaxError) -> Bool {
        try take()
        var isEmpty = true
        if !endsBlock, !at(";") {
            _ = try expressions()
            isEmpty = false
        }
        _ = try skip(";")
        guard endsBlock else { throw expected("the end of the block after 'return'") }
        return isEmpty
    }

    private mutating func statement() throws(LuaSyntaxError) {
        let opening = token
        guard case .symbol(let word) = token.kind else { return try expressionStatement() }
        switch word {
        case ";": try take()
        case "if": try ifStatement(opening)
        case "while":
            try take()
            _ = try expression()
            try require("do")
            try loop()
            try close("end", opening)
        case "do":
            try take()
            try scopedBlock()
            try close("end", opening)
        case "for": try forStatement(opening)
        case "repeat": try repeatStatement(opening)
        case "function": try functionStatement(opening)
        case "local": try localStatement()
        case "::":
            try take()
            _ = try name()
            try require("::")
        case "goto":
            try take()
            _ = try name()
        case "break":
            try take()
            guard scope.isInLoop else {
                throw LuaSyntaxError(message: "'break' outside of a loop", range: opening.range)
            }
        default: try expressionStatement()
        }
    }

    private mutating func loop() throws(LuaSyntaxError) {
        scope.beginBlock(isLoop: true)
        try block()
        scope.endBlock()
    }

    private mutating func ifStatement(_ opening: LuaToken) throws(LuaSyntaxError) {
        repeat {
            try take()
            _ = try expression()
            try require("then")
            try scopedBlock()
        } while at("elseif")
        if try skip("else") { try scopedBlock() }
        try close("end", opening)
    }

    private mutating func repeatStatement(_ opening: LuaToken) throws(LuaSyntaxError) {
        try take()
        scope.beginBlock(isLoop: true)
        try block()
        try close("until", opening)
        // The condition sees the block's variables (§3.3.4).
        _ = try expression()
        scope.endBlock()
    }

    private mutating func forStatement(_ opening: LuaToken) throws(LuaSyntaxError) {
        try take()
        var names = [try name()]
        if try skip("=") {
            _ = try expression()
            try require(",")
            _ = try expression()
            if try skip(",") { _ = try expression() }
        } else {
            while try skip(",") { names.append(try name()) }
            guard try skip("in") else { throw expected("'=' or 'in'") }
            _ = try expressions()
        }
        try require("do")
        scope.beginBlock(isLoop: true)
        for name in names { scope.declare(name) }
        try block()
        scope.endBlock()
        try close("end", opening)
    }

    private mutating func functionStatement(_ opening: LuaToken) throws(LuaSyntaxError) {
        try take()
        let first = try name()
        var target = value(ofName: first)
        var isPlain = true
        var isMethod = false
        while at(".") || at(":") {
            isMethod = at(":")
            isPlain = false
            try take()
            let member = try name()
            target = access(target, member, isCall: isMethod)
            if isMethod { break }
        }
        if isPlain { noteDefinition(first, &target) } else { noteAssignment(to: target) }
        let hook = isPlain && target.variable == nil ? first.text : nil
        try function(opening, name: hook, hasSelf: isMethod)
    }

    private mutating func localStatement() throws(LuaSyntaxError) {
        try take()
        if at("function") {
            let opening = try take()
            let name = try name()
            let variable = scope.declare(name)
            findings.noteLocalFunction(name, variable)
            return try function(opening, name: nil)
        }
        var names: [(token: LuaToken, isFixed: Bool)] = []
        repeat {
            let name = try name()
            var isFixed = false
            if try skip("<") {
                let attribute = try self.name()
                guard ["const", "close"].contains(attribute.text) else {
                    throw LuaSyntaxError(
                        message: "unknown attribute '\(attribute.text)'; expected const, close",
                        range: attribute.range
                    )
                }
                isFixed = true
                try require(">")
            }
            names.append((name, isFixed))
        } while try skip(",")
        let values = try skip("=") ? expressions() : []
        for (index, name) in names.enumerated() {
            let value = index < values.count ? values[index] : nil
            scope.declare(name.token, as: value, isFixed: name.isFixed)
        }
    }

    /// Reads a call or an assignment.
    private mutating func expressionStatement() throws(LuaSyntaxError) {
        let start = token.range
        var targets = [try suffixedExpression()]
        guard at("=") || at(",") else {
            guard targets[0].kind == .call else {
                throw LuaSyntaxError(
                    message: "expected a statement; found an expression",
                    range: start.lowerBound..<lastEnd
                )
            }
            findings.noteUnused(targets[0])
            return
        }
        while try skip(",") { targets.append(try suffixedExpression()) }
        for target in targets where !target.isAssignable {
            throw LuaSyntaxError(message: "cannot be assigned", range: target.range)
        }
        try require("=")
        let values = try expressions()
        for (index, target) in targets.enumerated() {
            noteAssignment(to: target, value: index < values.count ? values[index] : nil)
        }
    }
}
