// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension LuaParser {
    /// Binary operators with their binding powers to the left and the right (§3.4.8).
    private static let powers: [String: (left: Int, right: Int)] = [
        "or": (1, 1), "and": (2, 2), "<": (3, 3), ">": (3, 3), "<=": (3, 3), ">=": (3, 3),
        "~=": (3, 3), "==": (3, 3), "|": (4, 4), "~": (5, 5), "&": (6, 6), "<<": (7, 7),
        ">>": (7, 7), "..": (9, 8), "+": (10, 10), "-": (10, 10), "*": (11, 11), "/": (11, 11),
        "//": (11, 11), "%": (11, 11), "^": (14, 13),
    ]
    private static let unary: Set<String> = ["not", "-", "#", "~"]
    private static let unaryPower = 12

    /// Reads one or more expressions separated by commas.
    mutating func expressions() throws(LuaSyntaxError) -> [LuaValue] {
        var values = [try expression()]
        while try skip(",") { values.append(try expression()) }
        return values
    }

    mutating func expression() throws(LuaSyntaxError) -> LuaValue {
        try expression(above: 0)
    }

    private mutating func expression(above power: Int) throws(LuaSyntaxError) -> LuaValue {
        try nested { parser throws(LuaSyntaxError) in
            let start = parser.token.range.lowerBound
            var value: LuaValue
            if case .symbol(let word) = parser.token.kind, Self.unary.contains(word) {
                try parser.take()
                _ = try parser.expression(above: Self.unaryPower)
                value = LuaValue(start..<parser.lastEnd)
            } else {
                value = try parser.simpleExpression()
            }
            while case .symbol(let word) = parser.token.kind, let powers = Self.powers[word],
                powers.left > power
            {
                try parser.take()
                _ = try parser.expression(above: powers.right)
                value = LuaValue(start..<parser.lastEnd)
            }
            return value
        }
    }

    private mutating func simpleExpression() throws(LuaSyntaxError) -> LuaValue {
        let opening = token
        switch token.kind {
        case .number, .string:
            try take()
            return LuaValue(opening.range)
        case .symbol("nil"), .symbol("true"), .symbol("false"):
            try take()
            return LuaValue(opening.range)
        case .symbol("..."):
            guard scope.isVariadic else {
                throw LuaSyntaxError(
                    message: "'...' outside of a function that takes '...'",
                    range: opening.range
                )
            }
            try take()
            return LuaValue(opening.range)
        case .symbol("{"): return try table()
        case .symbol("function"):
            try take()
            try function(opening, name: nil, isNamed: false)
            return LuaValue(opening.range.lowerBound..<lastEnd, .function)
        default: return try suffixedExpression()
        }
    }

    /// Reads a name or parentheses with the indexing and calls that follow.
    mutating func suffixedExpression() throws(LuaSyntaxError) -> LuaValue {
        let opening = token
        var value: LuaValue
        if token.kind == .name {
            value = self.value(ofName: try take())
        } else if try skip("(") {
            value = try expression()
            try close(")", opening)
            value.range = opening.range.lowerBound..<lastEnd
            // A function in parentheses is still one.
            if value.kind != .function { value.kind = .other }
        } else {
            throw expected("an expression")
        }
        while try suffix(&value) {}
        return value
    }

    /// Reads one suffix; returns `false` if there is none.
    private mutating func suffix(_ value: inout LuaValue) throws(LuaSyntaxError) -> Bool {
        switch token.kind {
        case .symbol("."):
            try take()
            value = access(value, try name(), isCall: false)
        case .symbol("["):
            let opening = try take()
            let key = token
            var isText = false
            if key.kind == .string { isText = try peek().kind == .symbol("]") }
            _ = try expression()
            try close("]", opening)
            if isText, !key.text.isEmpty {
                value = access(value, key, isCall: false)
            } else {
                findings.noteUse(of: value, in: scope)
                value = LuaValue(value.range.lowerBound..<lastEnd, .field)
            }
        case .symbol(":"):
            try take()
            let method = try name()
            value = access(value, method, isCall: true)
            guard at("(") || at("{") || token.kind == .string else {
                throw expected("the arguments of '\(method.text)'")
            }
            try arguments(&value)
        case .symbol("("), .symbol("{"), .string: try arguments(&value)
        default: return false
        }
        return true
    }

    private mutating func arguments(_ value: inout LuaValue) throws(LuaSyntaxError) {
        let opening = token
        if token.kind == .string {
            try take()
        } else if at("{") {
            _ = try table()
        } else {
            try require("(")
            if !at(")") { _ = try expressions() }
            try close(")", opening)
        }
        value = findings.result(ofCalling: value, until: lastEnd, in: scope)
    }

    private mutating func table() throws(LuaSyntaxError) -> LuaValue {
        let opening = try take()
        while !at("}") {
            if at("[") {
                let bracket = try take()
                _ = try expression()
                try close("]", bracket)
                try require("=")
            } else if token.kind == .name, try peek().kind == .symbol("=") {
                try take()
                try take()
            }
            _ = try expression()
            if try skip(",") { continue }
            guard try skip(";") else { break }
        }
        try close("}", opening)
        return LuaValue(opening.range.lowerBound..<lastEnd)
    }

    /// Reads the parameters and body of a function; `name` is the global that it is assigned to.
    ///
    /// The first parameter is the exchange in a hook, and in any named function that calls it `ex`.
    mutating func function(
        _ opening: LuaToken,
        name: String?,
        isNamed: Bool = true,
        hasSelf: Bool = false
    ) throws(LuaSyntaxError) {
        try require("(")
        var parameters: [LuaToken] = []
        var isVariadic = false
        while !at(")") {
            if try skip("...") {
                isVariadic = true
                break
            }
            parameters.append(try self.name())
            guard try skip(",") else { break }
            if at(")") { throw expected("a name") }
        }
        try require(")")
        scope.beginFunction(isVariadic: isVariadic, hook: Hooks(luaName: name))
        if hasSelf { scope.declareSelf(opening) }
        for (index, parameter) in parameters.enumerated() {
            let isExchange = index == 0 && (name.isHook || (isNamed && parameter.text == "ex"))
            let isMessage = index == 1 && name == "message"
            let path = isExchange ? "ex" : isMessage ? "message" : nil
            scope.declare(parameter, as: path.map { LuaValue(parameter.range, path: $0) })
        }
        try block()
        scope.endFunction()
        try close("end", opening)
    }
}

extension String? {
    /// Whether a function of that name is a hook with the exchange as its parameter.
    fileprivate var isHook: Bool { Hooks(luaName: self) != nil }
}

extension Hooks {
    /// Creates the hook of a global function; returns `nil` if the name is not that of a hook.
    init?(luaName name: String?) {
        switch name {
        case "request": self = .request
        case "response": self = .response
        case "record": self = .record
        case "message": self = .message
        default: return nil
        }
    }
}
