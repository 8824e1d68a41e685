// SPDX-License-Identifier: MIT

internal import TaplineModel
package import TaplineQuery

extension RowCondition {
    /// Compiles a filter.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - schema: The version of the store's schema (`PRAGMA user_version`).
    package init(_ filter: Filter, schema: Int = FilterCompiler.currentSchema) {
        self = FilterCompiler(schema: schema).compile(filter)
    }
}

/// Compiles filters to SQL over the tables of the SQLite sink.
///
/// Every value of the filter becomes a parameter. Regular expressions, bodies that are coded,
/// compressed or in files, and values that SQLite would compare differently are left to memory.
package struct FilterCompiler: Sendable {
    /// The newest schema that the compiler knows.
    package static let currentSchema = 3

    /// The version of the store's schema.
    let schema: Int

    /// Compiles the conjunction at the top part by part, so that SQLite can use an index for each.
    func compile(_ filter: Filter) -> RowCondition {
        let parts = parts(of: filter.tree).map { (tree: $0, conjuncts: conjuncts(of: $0)) }
        let count = parts.reduce(0) { $0 + $1.conjuncts.count }
        var renderer = SQLRenderer(expressions: count)
        var conditions: [String] = []
        var certainties: [String] = []
        var residue: [FilterTree] = []
        var isDecidable = true
        for part in parts {
            var isCertain = true
            for conjunct in part.conjuncts {
                if case .constant(false) = conjunct {
                    return RowCondition(sql: "0", certainty: "1", values: [], residue: nil)
                }
                isCertain = isCertain && conjunct.isExact
                if case .unknown = conjunct {
                    isDecidable = false
                } else if let text = renderer.text(of: conjunct) {
                    conditions.append(conjunct.isExact ? text : "\(text) IS NOT 0")
                    if !conjunct.isExact { certainties.append(text) }
                    isDecidable = isDecidable && conjunct.mayHold
                } else {
                    isCertain = false
                    isDecidable = false
                }
            }
            if !isCertain { residue.append(part.tree) }
        }
        return RowCondition(
            sql: SQLRenderer.conjunction(conditions),
            certainty: isDecidable ? SQLRenderer.conjunction(certainties) : "0",
            values: renderer.values,
            residue: residue.isEmpty ? nil : filter.matcher(for: residue),
            undecided: residue,
            hidden: renderer.hidden
        )
    }

    /// The parts that must all hold; a negated disjunction has several, too.
    private func parts(of tree: FilterTree) -> [FilterTree] {
        switch tree {
        case .and(let children): children.flatMap(parts)
        case .not(.not(let child)): parts(of: child)
        case .not(.or(let children)): children.flatMap { parts(of: .not($0)) }
        case .comparison, .not, .or: [tree]
        }
    }

    /// The expressions that must all hold for a part of the filter.
    private func conjuncts(of tree: FilterTree) -> [SQLExpression] {
        let expression = expression(for: tree)
        switch expression {
        case .constant(true): return []
        case .all(let parts): return parts
        default: return [expression]
        }
    }

    /// Compiles any part of a filter.
    func expression(for tree: FilterTree) -> SQLExpression {
        switch tree {
        case .comparison(let comparison):
            comparison.mayHoldSecret
                ? expression(for: comparison).hiding : expression(for: comparison)
        case .not(let child): expression(for: child).negated
        case .and(let children): .and(children.map { expression(for: $0) })
        case .or(let children): .or(children.map { expression(for: $0) })
        }
    }
}
