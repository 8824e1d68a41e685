// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A table of HTML while it is read: which cells hold secrets, by the names in the first row or in
/// the cell before.
///
/// **Limits**: 256 columns.
struct MarkupTable {
    /// The rules for the columns, once a row has named them.
    private var columns: [Rule?] = []
    private var hasColumns = false
    /// For how many more rows a cell above takes a column.
    private var spans: [Int] = []
    private var row: [Rule?] = []
    private var column = 0
    private var rowIndex = 0
    private var hasData = false
    private var hasHeads = false
    /// The rule that the cell before names for the next one.
    private var next: Rule?
    /// Whether the rows are in the head of the table.
    var isHead = false
    /// The rule for the text of the present cell.
    private(set) var rule: Rule?
    /// Whether a cell is open.
    private(set) var isInCell = false

    private static let mostColumns = 256

    mutating func beganCell(isHeading: Bool, _ tag: MarkupTag) {
        while column < spans.count, spans[column] > 0 {
            spans[column] -= 1
            column += 1
            if row.count < MarkupTable.mostColumns { row.append(nil) }
        }
        rule = nil
        if isHeading {
            hasHeads = true
        } else {
            hasData = true
            rule = next ?? (hasColumns && column < columns.count ? columns[column] : nil)
        }
        isInCell = true
        next = nil
        if tag.rows > 1, column < MarkupTable.mostColumns {
            while spans.count <= column { spans.append(0) }
            spans[column] = tag.rows - 1
        }
        width = tag.columns
    }

    /// How many columns the present cell takes.
    private var width = 1

    /// A cell ends; `named` is the rule that its text names.
    mutating func endedCell(named: Rule?) {
        guard isInCell else { return }
        isInCell = false
        for _ in 0..<width where row.count < MarkupTable.mostColumns {
            // What several columns have in common is no name of each.
            row.append(width == 1 ? named : nil)
        }
        // In a first row of names, the second of two is none for the third.
        let mayName = rowIndex > 0 || hasHeads || column % 2 == 0
        column += width
        next = isHead || rule != nil || !mayName ? nil : named
        rule = nil
    }

    mutating func endedRow() {
        defer {
            row.removeAll(keepingCapacity: true)
            column = 0
            next = nil
            hasData = false
            hasHeads = false
        }
        guard !row.isEmpty else { return }
        rowIndex += 1
        guard !hasColumns, row.count > 1 else { return }
        // A first row without headings may be names, or a name and its value: both are masked.
        let names = isHead || !hasData || (rowIndex == 1 && !hasHeads)
        if names, row.contains(where: { $0 != nil }) {
            columns = row
            hasColumns = true
        }
    }
}
