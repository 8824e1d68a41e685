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
    /// The rules for the columns, once a row has named them.
    private var columns: [Rule?] = []
    private var hasColumns = false
    /// The number of further rows in which a cell above occupies each column.
    private var spans: [Int] = []
    private var row: [Rule?] = []
    private var column = 0
    private var rowIndex = 0
    private var hasData = false
    private var hasHeads = false
    /// The first column of the first row that contains a word; columns before it number the rows.
    private var nameColumn: Int?
    /// Whether the second cell of the first row can only be a value.
    private var beginsWithValue = false
    /// Whether the column rules come from a row that may be a name and its value.
    private var isUncertain = false
    /// The rule that the previous cell names for the next one.
    private var next: Rule?
    /// Whether the current rows are in the head of the table.
    var isHead = false
    /// The rule for the text of the current cell.
    private(set) var rule: Rule?
    /// Whether the current cell may be a name although its column has a rule.
    private(set) var mayBeName = false
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
        mayBeName = false
        if isHeading {
            hasHeads = true
        } else {
            hasData = true
            rule = next ?? (hasColumns && column < columns.count ? columns[column] : nil)
            mayBeName = isUncertain && next == nil && column == nameColumn
        }
        isInCell = true
        next = nil
        if tag.rows > 1, column < MarkupTable.mostColumns {
            while spans.count <= column { spans.append(0) }
            spans[column] = tag.rows - 1
        }
        width = tag.columns
    }

    /// The number of columns that the current cell occupies.
    private var width = 1

    /// Ends a cell; `named` is the rule that its text names.
    ///
    /// `isLong` is true if the text is longer than any name, and only its beginning is available.
    mutating func endedCell(_ text: Span<UInt8>, isLong: Bool, named: Rule?) {
        guard isInCell else { return }
        isInCell = false
        for _ in 0..<width where row.count < MarkupTable.mostColumns {
            // A heading of several columns does not name each of them.
            row.append(width == 1 ? named : nil)
        }
        if rowIndex == 0, !hasHeads, !isHead { noteFirst(text, isLong) }
        // In a first row of names, the second of two names is not the name of the third.
        let mayName =
            rowIndex > 0 || hasHeads || (column - (nameColumn ?? 0)).isMultiple(of: 2)
        let isName = mayBeName && named != nil && MarkupTable.isName(text)
        if isName, MarkupTable.isConstant(text) {
            // The names are in the first column, so the first row was a pair, too.
            columns.removeAll()
            hasColumns = false
            isUncertain = false
        }
        column += width
        next = isHead || !isName && rule != nil || !mayName ? nil : named
        rule = nil
    }

    /// Records what a cell of the first row implies about the others.
    private mutating func noteFirst(_ text: Span<UInt8>, _ isLong: Bool) {
        guard let nameColumn else {
            if isLong || MarkupTable.hasLetter(text) { self.nameColumn = column }
            return
        }
        if column == nameColumn + 1, rule != nil {
            beginsWithValue = isLong || MarkupTable.isValue(text)
        }
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
        let isFirst = !isHead && hasData && rowIndex == 1 && !hasHeads
        guard isHead || !hasData || isFirst, row.contains(where: { $0 != nil }) else { return }
        if isFirst, let nameColumn, nameColumn + 1 < row.count, row[nameColumn] != nil {
            guard !beginsWithValue else { return }
            isUncertain = true
        }
        columns = row
        hasColumns = true
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
