// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineRegex

/// One comparison, and where to go on when it holds and when it does not.
///
/// Nothing in it is counted by reference: an evaluation copies tests and touches no counter.
struct Test: Sendable {
    /// How a field is compared.
    enum Operator: UInt8, Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case isIn, like, matches, contains, exists
        /// What never holds: a comparison with a part of the environment that is not set.
        case never
    }

    var field: Field
    var test: Operator
    /// The name in brackets, in the program's text; of `env` the value.
    var key: Range<Int> = 0..<0
    /// The values on the right, in the program's list; for `like` and `~` the pattern.
    var values: Range<Int> = 0..<0
    var onTrue = Program.holds
    var onFalse = Program.fails
}

/// A value on the right of a comparison.
enum Value: Sendable {
    /// Where its bytes lie in the program's text.
    case text(Range<Int>)
    case whole(Int64)
    case real(Double)
}

/// A filter, ready to run: comparisons that point at each other, so that running it takes neither
/// recursion nor a stack, and each comparison at most once.
struct Program: Sendable {
    /// The target that ends with yes.
    static let holds = -1
    /// The target that ends with no.
    static let fails = -2

    let tests: [Test]
    let entry: Int
    let text: [UInt8]
    let values: [Value]
    let patterns: [Pattern]
    let globs: [Glob]
    let maxDecodedBytes: Int

    init(_ builder: consuming ProgramBuilder, root: Node, maxDecodedBytes: Int) {
        var tests: [Test] = []
        entry = Program.emit(root, Program.holds, Program.fails, into: &tests)
        self.tests = tests
        text = builder.text
        values = builder.values
        patterns = builder.patterns
        globs = builder.globs
        self.maxDecodedBytes = maxDecodedBytes
    }

    /// Appends a node's tests, last ones first, and returns where it begins.
    private static func emit(
        _ node: Node,
        _ onTrue: Int,
        _ onFalse: Int,
        into tests: inout [Test]
    ) -> Int {
        switch node {
        case .test(var test):
            test.onTrue = onTrue
            test.onFalse = onFalse
            tests.append(test)
            return tests.count - 1
        case .not(let child):
            return emit(child, onFalse, onTrue, into: &tests)
        case .and(let children):
            var next = onTrue
            for child in children.reversed() { next = emit(child, next, onFalse, into: &tests) }
            return next
        case .or(let children):
            var next = onFalse
            for child in children.reversed() { next = emit(child, onTrue, next, into: &tests) }
            return next
        }
    }
}

/// A filter as it was parsed.
indirect enum Node: Sendable {
    case test(Test)
    case not(Node)
    case and([Node])
    case or([Node])
}

/// Gathers what the comparisons of a program point at.
struct ProgramBuilder {
    var text: [UInt8] = []
    var values: [Value] = []
    var patterns: [Pattern] = []
    var globs: [Glob] = []

    /// Keeps bytes and says where they lie.
    mutating func keep(_ bytes: [UInt8]) -> Range<Int> {
        let start = text.count
        text.append(contentsOf: bytes)
        return start..<text.count
    }
}
