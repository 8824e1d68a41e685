// SPDX-License-Identifier: MIT

package import TaplineModel

/// The comparisons of a filter and how they are combined, for compilers to other languages.
package indirect enum FilterTree: Sendable {
    /// A comparison.
    case comparison(FilterComparison)
    /// Holds if the other does not.
    case not(FilterTree)
    /// Holds if all hold; has at least two.
    case and([FilterTree])
    /// Holds if one holds; has at least two.
    case or([FilterTree])
}

/// A value on the right of a comparison, in the unit of the field.
package enum FilterValue: Sendable, Hashable {
    /// UTF-8; in lower case if the field ignores case.
    case text([UInt8])
    /// A whole number.
    case whole(Int64)
    /// Another number.
    case real(Double)
}

/// The operator of a comparison.
package enum FilterOperator: Sendable, Hashable {
    /// `==`, `!=`, `<`, `<=`, `>`, `>=`.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// `in`, `like`, `~`, `contains`, `exists`.
    case isIn, like, matches, contains, exists
    /// A comparison that never holds, such as one with an environment variable that is not set.
    case never
}

/// A comparison of a field with values.
package struct FilterComparison: Sendable {
    let test: Test
    private let program: Program

    init(_ test: Test, _ program: Program) {
        self.test = test
        self.program = program
    }

    /// The field.
    package var field: Field { test.field }

    /// The name in brackets; for `env`, the value; for JSON and other fields, empty.
    package var key: [UInt8] { field.isJSON ? [] : Array(program.text[test.key]) }

    /// The operator.
    package var comparison: FilterOperator {
        switch test.test {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .isIn: .isIn
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .exists: .exists
        case .never: .never
        }
    }

    /// The values; for `in` at least one, for `like`, `~`, `exists` and `never` none.
    package var values: [FilterValue] {
        switch test.test {
        case .like, .matches, .exists, .never: return []
        default: break
        }
        return program.values[test.values].map { value in
            switch value {
            case .text(let range): .text(Array(program.text[range]))
            case .whole(let whole): .whole(whole)
            case .real(let real): .real(real)
            }
        }
    }

    /// The pattern of `like`, in lower case if the field ignores case; `nil` for other operators.
    package var glob: [UInt8]? {
        guard test.test == .like else { return nil }
        let pattern = program.globs[test.values.lowerBound].pattern.utf8
        return field.ignoresCase ? pattern.map(\.asciiLowercased) : Array(pattern)
    }

    /// Returns whether the comparison holds for a text that the field has.
    package func holds(for text: [UInt8]) -> Bool { program.holds(test, text.span) }
}

/// Some comparisons of a filter, evaluated in memory.
package struct FilterMatcher: Sendable {
    private let program: Program

    init(_ program: Program) { self.program = program }

    /// The fields that it compares.
    package var fields: Set<Field> { Set(program.tests.map(\.field)) }

    /// Returns whether the exchange matches.
    package func matches(_ exchange: borrowing Exchange) -> Bool { program.run(exchange) }
}

extension Filter {
    /// The comparisons and how they are combined.
    package var tree: FilterTree { tree(of: root) }

    private func tree(of node: Node) -> FilterTree {
        switch node {
        case .test(let test): .comparison(FilterComparison(test, program))
        case .not(let child): .not(tree(of: child))
        case .and(let children): .and(children.map(tree))
        case .or(let children): .or(children.map(tree))
        }
    }

    /// Returns what evaluates parts of the filter's tree in memory; all of them must hold.
    package func matcher(for parts: [FilterTree]) -> FilterMatcher {
        FilterMatcher(Program(program, root: .and(parts.map(Filter.node))))
    }

    private static func node(of tree: FilterTree) -> Node {
        switch tree {
        case .comparison(let comparison): .test(comparison.test)
        case .not(let child): .not(node(of: child))
        case .and(let children): .and(children.map(node))
        case .or(let children): .or(children.map(node))
        }
    }
}
