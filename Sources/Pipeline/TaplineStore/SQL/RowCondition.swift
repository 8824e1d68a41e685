// SPDX-License-Identifier: MIT

package import TaplineQuery
package import TaplineSQL

/// A value of a parameter.
package enum SQLValue: Sendable, Hashable {
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// UTF-8.
    case text([UInt8])
    /// Bytes.
    case blob([UInt8])
}

/// A filter as SQL over the SQLite sink's tables, and the part that SQL cannot decide.
///
/// Rows for which `sql` holds are a superset of those that match. Of these, a row matches if
/// `certainty` holds; otherwise it matches if `residue` does.
///
/// ```sql
/// SELECT e.seq, <certainty> FROM exchanges e WHERE <sql>
/// ```
///
/// **Shape**: both texts refer to columns of `exchanges` by the alias `e` only, and to the same
/// parameters `?1` to `?n`; a caller's own parameters have higher numbers. They call
/// `tapline_contains`, which the connections of `TaplineSQL` have.
package struct RowCondition: Sendable {
    /// The condition for `WHERE`; `1` if SQL excludes nothing.
    package let sql: String
    /// An expression that is 1 if a row for which `sql` holds surely matches.
    ///
    /// `1` if there is no residue, `0` if SQL never decides.
    package let certainty: String
    /// The values of the parameters, in order.
    package let values: [SQLValue]
    /// Decides the rows that SQL cannot; `nil` if there are none.
    package let residue: FilterMatcher?
    /// The parts of the filter that the residue evaluates.
    var undecided: [FilterTree] = []
    /// The positions of values that may be secrets.
    var hidden: Set<Int> = []

    /// Matches every row.
    static var always: RowCondition {
        RowCondition(sql: "1", certainty: "1", values: [], residue: nil)
    }

    /// Whether no row can match.
    package var isNever: Bool { sql == "0" }

    /// Binds the values.
    ///
    /// - Throws: `SQLiteError`, for example if the statement has fewer parameters.
    package func bind(to statement: SQLiteStatement) throws(SQLiteError) {
        for (position, value) in values.enumerated() {
            let index = Int32(position + 1)
            switch value {
            case .integer(let value): try statement.bind(index, integer: value)
            case .real(let value): try statement.bind(index, real: value)
            case .text(let value): try statement.bind(index, text: value.span)
            case .blob(let value): try statement.bind(index, blob: value.span)
            }
        }
    }
}
