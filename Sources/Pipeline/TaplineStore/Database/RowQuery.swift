// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// A query of a database, compiled.
struct RowQuery: Sendable {
    /// What a statement reads of the rows for which `condition.sql` holds.
    enum Reading: Sendable {
        /// The wanted parts: SQLite decides every row.
        case wanted
        /// What the residue needs: SQLite decides no row.
        case residue
        /// The number only: SQLite decides most rows, and the others are read again.
        case number
    }

    let condition: RowCondition
    let isForward: Bool
    /// The parts that results need to have.
    let wanted: StoreParts
    /// The parts that the residue needs.
    let needed: StoreParts
    let reading: Reading

    init(_ query: StoreQuery, schema: Int) {
        condition = query.filter.map { RowCondition($0, schema: schema) } ?? .always
        isForward = query.order == .oldestFirst
        wanted = query.parts
        needed = query.filter.map(StoreParts.init(usedBy:)) ?? []
        reading =
            condition.residue == nil ? .wanted : condition.certainty == "0" ? .residue : .number
    }

    /// The statement that reads a range; its bounds follow the values of the condition.
    var select: String {
        let columns =
            switch reading {
            case .wanted: DatabaseSchema.columns(wanted)
            case .residue: DatabaseSchema.columns(needed)
            case .number: "e.seq, \(condition.certainty)"
            }
        return """
            SELECT \(columns) FROM exchanges e
              WHERE (\(condition.sql)) AND \(RowRange.condition(after: condition.values.count))
              ORDER BY e.seq \(isForward ? "ASC" : "DESC")
            """
    }

    /// The statement that counts the rows of a range for which SQLite decides that they match.
    var selectCount: String {
        """
        SELECT count(*) FROM exchanges e
          WHERE (\(condition.sql)) AND \(RowRange.condition(after: condition.values.count))
        """
    }
}
