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
    /// What results need to have.
    let wanted: RowLayout
    /// What the residue needs.
    let needed: RowLayout
    let reading: Reading
    /// The texts that a full-text index can find; `nil` if there are none.
    let requiredText: RequiredText?
    /// The rows that can be results; `nil` for all of them.
    var counted: CountedRows?

    /// Compiles a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - schema: The version of the database's schema.
    ///   - wanted: The columns of results; `nil` for those of the query's parts.
    init(_ query: StoreQuery, schema: Int, wanted: RowColumns? = nil) {
        condition = query.filter.map { RowCondition($0, schema: schema) } ?? .always
        isForward = query.order == .oldestFirst
        self.wanted = RowLayout(wanted ?? RowColumns(query.parts))
        needed = RowLayout(RowColumns(usedBy: condition.residue?.fields ?? []))
        reading =
            condition.residue == nil ? .wanted : condition.certainty == "0" ? .residue : .number
        // An index has as much of each body as filters with the default limits see.
        let isIndexed = query.filter.map { $0.maxDecodedBytes <= FilterLimits().maxDecodedBytes }
        requiredText = isIndexed == true ? query.filter?.requiredText : nil
    }

    /// Whether what is read for the residue is enough for a result.
    var isWhole: Bool { needed.columns.isSuperset(of: wanted.columns) }

    /// The statement that reads a range; its bounds follow the values of the condition.
    ///
    /// Rows are found by their numbers only: a range has few of them, whatever an index offers.
    var select: String {
        let columns =
            switch reading {
            case .wanted: wanted.selection
            case .residue: needed.selection
            case .number: "e.seq, \(condition.certainty)"
            }
        return """
            SELECT \(columns) FROM exchanges e NOT INDEXED
              WHERE (\(condition.sql)) AND \(RowRange.condition(after: condition.values.count))
              ORDER BY e.seq \(isForward ? "ASC" : "DESC")
            """
    }

    /// The statement that reads the numbers of the rows of a range for which the SQL holds.
    var selectNumbers: String {
        """
        SELECT e.seq FROM exchanges e NOT INDEXED
          WHERE (\(condition.sql)) AND \(RowRange.condition(after: condition.values.count))
        """
    }

    /// The statement that counts the rows of a range for which SQLite decides that they match.
    var selectCount: String {
        """
        SELECT count(*) FROM exchanges e NOT INDEXED
          WHERE (\(condition.sql)) AND \(RowRange.condition(after: condition.values.count))
        """
    }
}
