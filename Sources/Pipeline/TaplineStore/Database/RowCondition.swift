// SPDX-License-Identifier: MIT

package import TaplineQuery

/// How a filter is evaluated on the rows of a database: the part that SQLite decides, and the rest,
/// which is decided in memory.
///
/// An exchange matches the filter if its row satisfies `sql` and the exchange matches `residue`.
package struct RowCondition: Sendable {
    /// A value to bind.
    package enum Value: Sendable, Equatable {
        case null
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])
    }

    /// An SQL expression over a row `e` of `exchanges`; empty if SQLite decides nothing.
    ///
    /// Other tables are used in subqueries only. Each value is a plain `?`.
    package var sql = ""
    /// The values of the expression, in the order of the text.
    package var values: [Value] = []
    /// The condition that is evaluated in memory; `nil` if SQLite decides everything.
    package var residue: Filter?

    /// Creates the condition for a filter; `nil` matches every row.
    ///
    /// - Parameter filter: The filter.
    package init(_ filter: Filter?) {
        // No filter is compiled to SQL yet.
        residue = filter
    }

    /// The parts of an exchange that the residue uses.
    var parts: StoreParts { residue.map { StoreParts(usedBy: $0) } ?? [] }
}
