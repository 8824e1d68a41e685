// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Determines while an HTML table is read which cells contain secrets, by the names in the first
/// row or in the previous cell.
///
/// A first row without headings may contain the names of the columns, or a name and its value. Its
/// second cell decides; if it is inconclusive, both are masked. Names of secrets in the first
/// column then stay, and name the next cell.
///
/// **Limits**: 256 columns.
struct MarkupTable {
    /// The rules that a row names for its columns.
    private struct Columns {
        var rules: [Rule?]
        /// Whether the row may instead be a name and its value.
        var isUncertain: Bool
    }

    /// What the first row implies.
    private struct FirstRow {
        /// The first column that contains a word; columns before it number the rows.
        var nameColumn: Int?
        /// Whether the second cell can only be a value.
        var beginsWithValue = false
    }

    /// The current row.
    private struct Row {
        /// The rules that its cells name.
        var rules: [Rule?] = []
        var column = 0
        var hasData = false
        var hasHeadings = false
        /// The rule that the previous cell names for the next one.
        var nextRule: Rule?
    }

    /// The open cell.
    private struct Cell {
        /// The rule for its text.
        var rule: Rule?
        /// Whether it may be a name although its column has a rule.
        var mayBeName = false
        /// The number of columns that it occupies.
        var width: Int
    }

    private var columns: Columns?
    /// The number of further rows in which a cell above occupies each column.
    private var spans: [Int] = []
    private var firstRow = FirstRow()
    private var row = Row()
    private var rowCount = 0
    private var cell: Cell?
    /// Whether the current rows are in the head of the table.
    var isHead = false

    /// Whether a cell is open.
    var isInCell: Bool { cell != nil }
    /// The rule for the text of the current cell.
    var rule: Rule? { cell?.rule }
    /// Whether the current cell may be a name although its column has a rule.
    var mayBeName: Bool { cell?.mayBeName ?? false }

    private static let maxColumns = 256

    mutating func beganCell(isHeading: Bool, _ tag: MarkupTag) {
        while row.column < spans.count, spans[row.column] > 0 {
            spans[row.column] -= 1
            row.column += 1
            if row.rules.count < MarkupTable.maxColumns { row.rules.append(nil) }
        }
        let column = row.column
        var cell = Cell(width: tag.columns)
        if isHeading {
            row.hasHeadings = true
        } else {
            row.hasData = true
            cell.rule = row.nextRule
            if cell.rule == nil, let columns {
                cell.mayBeName = columns.isUncertain && column == firstRow.nameColumn
                if column < columns.rules.count { cell.rule = columns.rules[column] }
            }
        }
        row.nextRule = nil
        if tag.rows > 1, column < MarkupTable.maxColumns {
            while spans.count <= column { spans.append(0) }
            spans[column] = tag.rows - 1
        }
        self.cell = cell
    }

    /// Ends a cell; `named` is the rule that its text names.
    ///
    /// `isLong` is true if the text is longer than any name, and only its beginning is available.
    mutating func endedCell(_ text: Span<UInt8>, isLong: Bool, named: Rule?) {
        guard let cell else { return }
        self.cell = nil
        for _ in 0..<cell.width where row.rules.count < MarkupTable.maxColumns {
            // A heading of several columns does not name each of them.
            row.rules.append(cell.width == 1 ? named : nil)
        }
        if rowCount == 0, !row.hasHeadings, !isHead {
            noteFirst(text, isLong, isSecret: cell.rule != nil)
        }
        // In a first row of names, the second of two names is not the name of the third.
        let mayName =
            rowCount > 0 || row.hasHeadings
            || (row.column - (firstRow.nameColumn ?? 0)).isMultiple(of: 2)
        let isName = cell.mayBeName && named != nil && MarkupTable.isName(text)
        // The names are in the first column, so the first row was a pair, too.
        if isName, MarkupTable.isConstant(text) { columns = nil }
        row.column += cell.width
        row.nextRule = isHead || !isName && cell.rule != nil || !mayName ? nil : named
    }

    /// Records what a cell of the first row implies about the others.
    private mutating func noteFirst(_ text: Span<UInt8>, _ isLong: Bool, isSecret: Bool) {
        guard let nameColumn = firstRow.nameColumn else {
            if isLong || MarkupTable.hasLetter(text) { firstRow.nameColumn = row.column }
            return
        }
        if row.column == nameColumn + 1, isSecret {
            firstRow.beginsWithValue = isLong || MarkupTable.isValue(text)
        }
    }

    mutating func endedRow() {
        defer { row = Row() }
        guard !row.rules.isEmpty else { return }
        rowCount += 1
        guard columns == nil, row.rules.count > 1 else { return }
        let isFirst = !isHead && row.hasData && rowCount == 1 && !row.hasHeadings
        guard isHead || !row.hasData || isFirst, row.rules.contains(where: { $0 != nil }) else {
            return
        }
        var isUncertain = false
        if isFirst, let nameColumn = firstRow.nameColumn, nameColumn + 1 < row.rules.count,
            row.rules[nameColumn] != nil
        {
            guard !firstRow.beginsWithValue else { return }
            isUncertain = true
        }
        columns = Columns(rules: row.rules, isUncertain: isUncertain)
    }
}

// MARK: - Texts of cells

extension MarkupTable {
    private static func hasLetter(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] >= 0x80 || isLetter(text[index]) {
            return true
        }
        return false
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }

    /// Whether a text in the first row cannot be a heading: it is a number, or one long word with
    /// digits.
    private static func isValue(_ text: Span<UInt8>) -> Bool {
        var letters = 0
        var digits = 0
        for index in text.indices {
            let byte = text[index]
            if byte == 0x20 { return false }
            if byte.isDigit { digits += 1 }
            if byte >= 0x80 || isLetter(byte) { letters += 1 }
        }
        return digits > 0 && (letters == 0 || text.count >= 10)
    }

    /// Whether a text has the form of a name: letters, joining characters, and at most two digits
    /// at the end.
    static func isName(_ text: Span<UInt8>) -> Bool {
        var digits = 0
        for index in text.indices {
            switch text[index] {
            case 0x30...0x39: digits += 1
            case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: if digits > 0 { return false }
            case .ascii("_"), .ascii("-"), .ascii("."), .ascii(":"), 0x20: break
            default: return false
            }
        }
        return digits <= 2
    }

    /// Whether a text has the form of a constant: `APP_NAME`.
    static func isConstant(_ text: Span<UInt8>) -> Bool {
        guard text.firstIndex(of: .ascii("_")) != nil, isName(text) else { return false }
        for index in text.indices where !(0x30...0x5A ~= text[index] || text[index] == 0x5F) {
            return false
        }
        return true
    }
}
