// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineRegex

/// A comparison, with the next test if it holds and if it does not.
///
/// It contains no references, so an evaluation copies tests without reference counting.
struct Test: Sendable, Equatable {
    /// The operator of a comparison.
    enum Operator: UInt8, Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case isIn, like, matches, contains, exists
        /// A comparison that never holds, such as one with an environment variable that is not set.
        case never
    }

    var field: Field
    var test: Operator
    /// Whether a value comes from the environment.
    var usesEnvironment = false
    /// Where the comparison begins in the filter's text, and how many bytes it has.
    var start: UInt32 = 0
    var length: UInt32 = 0
    /// The name in brackets, as a range of the program's text; for `env`, the value; for JSON, the
    /// path, as a range of the program's list.
    var key: Range<Int> = 0..<0
    /// The values on the right, as a range of the program's list; for `like` and `~`, the pattern.
    var values: Range<Int> = 0..<0
    var onTrue = Program.holds
    var onFalse = Program.fails
}

/// A value on the right of a comparison.
enum Value: Sendable, Equatable {
    /// The range of its bytes in the program's text.
    case text(Range<Int>)
    case whole(Int64)
    case real(Double)
}

/// A compiled filter: comparisons that point at each other.
///
/// Running it needs neither recursion nor a stack, and evaluates each comparison at most once.
struct Program: Sendable {
    /// The target for a match.
    static let holds = -1
    /// The target for no match.
    static let fails = -2

    let tests: [Test]
    let entry: Int
    let text: [UInt8]
    let values: [Value]
    let patterns: [Pattern]
    let globs: [Glob]
    let paths: [JSONPath]
    let maxDecodedBytes: Int

    init(_ builder: consuming ProgramBuilder, root: Node, maxDecodedBytes: Int) {
        var tests: [Test] = []
        entry = Program.emit(root, Program.holds, Program.fails, into: &tests)
        self.tests = tests
        text = builder.text
        values = builder.values
        patterns = builder.patterns
        globs = builder.globs
        paths = builder.paths
        self.maxDecodedBytes = maxDecodedBytes
    }

    /// A program with the values of another one, for some of its comparisons.
    init(_ other: Program, root: Node) {
        var tests: [Test] = []
        entry = Program.emit(root, Program.holds, Program.fails, into: &tests)
        self.tests = tests
        text = other.text
        values = other.values
        patterns = other.patterns
        globs = other.globs
        paths = other.paths
        maxDecodedBytes = other.maxDecodedBytes
    }

    /// Appends the tests of a node in reverse order and returns the position of the first one.
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

/// The syntax tree of a filter.
indirect enum Node: Sendable {
    case test(Test)
    case not(Node)
    case and([Node])
    case or([Node])
}

/// Collects the values that the comparisons of a program refer to.
struct ProgramBuilder {
    var text: [UInt8] = []
    var values: [Value] = []
    var patterns: [Pattern] = []
    var globs: [Glob] = []
    var paths: [JSONPath] = []

    /// Keeps bytes and returns their range.
    mutating func keep(_ bytes: [UInt8]) -> Range<Int> {
        let start = text.count
        text.append(contentsOf: bytes)
        return start..<text.count
    }
}
