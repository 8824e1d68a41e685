// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds secrets by the names in the first line of CSV (RFC 4180), or of values with tabs between.
struct CSVEditor {
    let rules: RuleSet

    func edit(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        let separator = CSVEditor.separator(bytes, range)
        var columns: [Rule?] = []
        var isHead = true
        var column = 0
        var position = range.lowerBound
        while position < range.upperBound {
            let field = CSVEditor.field(bytes, position, range.upperBound, separator)
            if isHead {
                let name = bytes.extracting(field.content)
                columns.append(rules.text.rule(forNested: name))
            } else if column < columns.count, let rule = columns[column], !field.content.isEmpty {
                rules.replace(bytes, field.content, rule, .plain, &edits)
            }
            column += 1
            position = field.end
            guard position < range.upperBound else { return }
            if bytes[position] != separator {
                // A line of no values is no head.
                isHead = isHead && columns.count == 1 && field.content.isEmpty
                if isHead { columns = [] }
                column = 0
                if bytes[position] == 0x0D, position + 1 < range.upperBound,
                    bytes[position + 1] == 0x0A
                {
                    position += 1
                }
            }
            position += 1
        }
    }

    /// Whether a text is a table whose first line has a name of a rule: all names there are single
    /// words, and the next line has as many values.
    static func isLikely(_ bytes: Span<UInt8>, _ range: Range<Int>, _ rules: NameRules) -> Bool {
        guard beginsWithName(bytes, range) else { return false }
        let head = range.lowerBound..<min(range.upperBound, range.lowerBound + 4096)
        let separator = separator(bytes, head)
        var position = range.lowerBound
        var columns = 0
        var isNamed = false
        while position < range.upperBound {
            let field = field(bytes, position, range.upperBound, separator)
            let name = bytes.extracting(field.content)
            guard isName(name) else { return false }
            columns += 1
            isNamed = isNamed || rules.rule(forNested: name) != nil
            position = field.end
            guard position < range.upperBound else { return false }
            if bytes[position] != separator { break }
            position += 1
        }
        guard isNamed, columns > 1 else { return false }
        while position < range.upperBound, bytes[position] == 0x0A || bytes[position] == 0x0D {
            position += 1
        }
        while position < range.upperBound {
            let field = field(bytes, position, range.upperBound, separator)
            columns -= 1
            position = field.end
            guard position < range.upperBound, bytes[position] == separator else { break }
            position += 1
        }
        return columns == 0
    }

    /// Whether a single word stands first, or one in quotes: whatever may separate it from the next.
    ///
    /// Most texts do not begin so, and need not be looked at for separators.
    private static func beginsWithName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        while position < range.upperBound, bytes[position].isBlank { position += 1 }
        if position < range.upperBound, bytes[position] == .ascii("\"") { return true }
        let start = position
        while position < range.upperBound, isNameByte(bytes[position]) { position += 1 }
        guard position > start else { return false }
        while position < range.upperBound, bytes[position] == 0x20 { position += 1 }
        guard position < range.upperBound else { return true }
        switch bytes[position] {
        case .ascii(","), .ascii(";"), 0x09, 0x0A, 0x0D: return true
        default: return false
        }
    }

    private static func isName(_ text: Span<UInt8>) -> Bool {
        guard 1...64 ~= text.count else { return false }
        for index in text.indices where !isNameByte(text[index]) { return false }
        return true
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        case .ascii("_"), .ascii("-"), .ascii("."): true
        default: false
        }
    }

    /// What separates values: what of comma, semicolon and tab occurs most in the first line.
    private static func separator(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
        var counts = (comma: 0, semicolon: 0, tab: 0)
        for index in range {
            switch bytes[index] {
            case .ascii(","): counts.comma += 1
            case .ascii(";"): counts.semicolon += 1
            case 0x09: counts.tab += 1
            case 0x0A, 0x0D:
                guard counts == (0, 0, 0) else { return most(counts) }
            default: break
            }
        }
        return most(counts)
    }

    private static func most(_ counts: (comma: Int, semicolon: Int, tab: Int)) -> UInt8 {
        if counts.tab > max(counts.comma, counts.semicolon) { return 0x09 }
        return counts.semicolon > counts.comma ? .ascii(";") : .ascii(",")
    }

    /// A value without its quotes, and where its separator or its line end stands.
    private static func field(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ limit: Int,
        _ separator: UInt8
    ) -> (content: Range<Int>, end: Int) {
        var position = start
        while position < limit, bytes[position] == 0x20 { position += 1 }
        guard position < limit, bytes[position] == .ascii("\"") else {
            let end = endOfField(bytes, position, limit, separator)
            return (bytes.trimmed(position..<end), end)
        }
        let first = position + 1
        position = first
        while position < limit {
            if bytes[position] == .ascii("\"") {
                guard position + 1 < limit, bytes[position + 1] == .ascii("\"") else { break }
                position += 1
            }
            position += 1
        }
        let last = min(position, limit)
        return (first..<last, endOfField(bytes, last, limit, separator))
    }

    private static func endOfField(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ limit: Int,
        _ separator: UInt8
    ) -> Int {
        var position = start
        while position < limit, bytes[position] != separator, bytes[position] != 0x0A,
            bytes[position] != 0x0D
        {
            position += 1
        }
        return position
    }
}
