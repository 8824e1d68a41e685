// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// What is known about an expression that was read.
struct LuaValue {
    /// The kinds of expressions that are distinguished.
    enum Kind {
        /// A plain name.
        case name
        /// A field or an element: `a.b`, `a[b]`.
        case field
        /// A method before its arguments: `a:b`.
        case method
        case call
        /// The body of a function.
        case function
        /// A literal, an operation or an expression in parentheses.
        case other
    }

    /// What expression it is.
    var kind: Kind
    /// Its range in the script.
    var range: Range<Int>
    /// Its path in the interface: `ex.request`, `json`, `drop`.
    var path: String?
    /// Its type in the notation of the interface.
    var type: String?
    /// The variable that it was read from.
    var variable: Int?
    /// The name of the global, if it is one.
    var global: String?
    /// Whether it is a function of one of Lua's own libraries.
    var isLibraryMember = false
    /// Its declaration in the interface.
    var member: LuaMember?
    /// The method whose name was read as a field of an object with arbitrary fields: `headers.add`.
    var shadowedMethod: LuaMember?
    /// The range of its last name.
    var nameRange: Range<Int>

    init(_ range: Range<Int>, _ kind: Kind = .other, path: String? = nil) {
        self.kind = kind
        self.range = range
        nameRange = range
        self.path = path
    }

    /// Whether it may be on the left of an assignment.
    var isAssignable: Bool { kind == .name || kind == .field }
}

/// The visible variables, and the surrounding functions and loops.
struct LuaScope {
    struct Variable {
        let name: String
        let range: Range<Int>
        /// The path of its value, if known.
        var path: String?
        /// The variable that its value was read from.
        var parent: Int?
        var isFixed = false
        var isAssigned = false
        var isUsed = false
    }

    private struct Function {
        let isVariadic: Bool
        let hook: Hooks?
        var loops = 0
    }

    private struct Block {
        var names: [String] = []
        let isLoop: Bool
    }

    /// All variables of the script, visible or not.
    private(set) var variables: [Variable] = []
    private var visible: [String: [Int]] = [:]
    private var blocks: [Block] = []
    private var functions: [Function] = []

    /// Whether the current function takes `...`.
    var isVariadic: Bool { functions.last?.isVariadic ?? false }
    /// Whether the position is within a function of the script.
    var isInFunction: Bool { functions.count > 1 }
    var isInLoop: Bool { (functions.last?.loops ?? 0) > 0 }
    /// The surrounding hook; `nil` if none is known.
    var hook: Hooks? { functions.last { $0.hook != nil }?.hook }

    mutating func beginFunction(isVariadic: Bool, hook: Hooks?) {
        functions.append(Function(isVariadic: isVariadic, hook: hook))
        beginBlock()
    }

    mutating func endFunction() {
        endBlock()
        functions.removeLast()
    }

    mutating func beginBlock(isLoop: Bool = false) {
        blocks.append(Block(isLoop: isLoop))
        if isLoop, !functions.isEmpty { functions[functions.count - 1].loops += 1 }
    }

    mutating func endBlock() {
        let block = blocks.removeLast()
        for name in block.names { visible[name]?.removeLast() }
        if block.isLoop, !functions.isEmpty { functions[functions.count - 1].loops -= 1 }
    }

    /// Declares a variable in the innermost block.
    @discardableResult
    mutating func declare(_ name: LuaToken, as value: LuaValue? = nil, isFixed: Bool = false) -> Int
    {
        declare(name.text, name.range, value, isFixed)
    }

    mutating func declareSelf(_ opening: LuaToken) {
        _ = declare("self", opening.range, nil, false)
    }

    private mutating func declare(
        _ name: String,
        _ range: Range<Int>,
        _ value: LuaValue?,
        _ isFixed: Bool
    ) -> Int {
        var variable = Variable(name: name, range: range)
        variable.path = value?.path
        variable.parent = value?.variable
        variable.isFixed = isFixed
        let number = variables.count
        variables.append(variable)
        visible[name, default: []].append(number)
        if !blocks.isEmpty { blocks[blocks.count - 1].names.append(name) }
        return number
    }

    /// The variable that a name refers to in the current scope; `nil` if the name is global.
    func find(_ name: String) -> Int? { visible[name]?.last }

    mutating func noteUse(_ variable: Int) { variables[variable].isUsed = true }
    mutating func noteAssignment(_ variable: Int) { variables[variable].isAssigned = true }

    /// Whether a variable, or one that its value came from, was assigned after its declaration.
    func isUncertain(_ variable: Int?) -> Bool {
        var next = variable
        while let number = next {
            if variables[number].isAssigned { return true }
            next = variables[number].parent
        }
        return false
    }
}
