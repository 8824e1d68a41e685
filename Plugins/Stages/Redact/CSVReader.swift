// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Reads the records of CSV (RFC 4180) one by one; quoted values may contain line ends.
///
/// **Limits**: time is linear.
struct CSVReader {
    /// The separator: the one that the first line declares (`sep=;`), otherwise the most frequent
    /// of comma, semicolon, tab and bar in the first record, outside of quotes.
    private(set) var separator = UInt8.ascii(",")
    /// Whether the first line declares the separator.
    private(set) var declaresSeparator = false
    /// The values of the current record, without their quotes.
    private(set) var fields: [Range<Int>] = []
    /// Whether the values of the current record have no leading blanks.
    private(set) var hasTightFields = true
    /// The end of the text.
    var end: Int
    private var position: Int

    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
        if bytes.extracting(range).starts(with: "\u{FEFF}") { position += 3 }
        if let declared = CSVReader.declaredSeparator(bytes, position..<end) {
            (separator, position) = declared
            declaresSeparator = true
        } else {
            separator = CSVReader.separator(bytes, position..<end)
        }
    }

    /// Reads the next record; returns `false` if there is none.
    mutating func readRecord(_ bytes: Span<UInt8>) -> Bool {
        guard position < end else { return false }
        fields.removeAll(keepingCapacity: true)
        hasTightFields = true
        while true {
            let (content, next) = field(bytes, position)
            if content.lowerBound > position, bytes[position] == 0x20 { hasTightFields = false }
            fields.append(content)
            position = next
            guard position < end else { return true }
            let byte = bytes[position]
            position += 1
            if byte == separator { continue }
            if byte == 0x0D, position < end, bytes[position] == 0x0A { position += 1 }
            return true
        }
    }

    /// Returns a value without its quotes, and the position of its separator or line end.
    private func field(_ bytes: Span<UInt8>, _ start: Int) -> (content: Range<Int>, end: Int) {
        var position = start
        while position < end, bytes[position] == 0x20 { position += 1 }
        guard position < end, bytes[position] == .ascii("\"") else {
            let last = endOfField(bytes, position)
            return (bytes.trimmed(position..<last), last)
        }
        let first = position + 1
        position = CSVReader.endOfQuotes(bytes, first..<end)
        return (first..<position, endOfField(bytes, position))
    }

    private func endOfField(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var position = start
        while position < end, bytes[position] != separator, bytes[position] != 0x0A,
            bytes[position] != 0x0D
        {
            position += 1
        }
        return position
    }

    /// Returns the position of the quote that ends a value; two quotes in a row are an escaped
    /// quote.
    private static func endOfQuotes(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var position = range.lowerBound
        while position < range.upperBound {
            if bytes[position] == .ascii("\"") {
                guard position + 1 < range.upperBound, bytes[position + 1] == .ascii("\"") else {
                    break
                }
                position += 1
            }
            position += 1
        }
        return min(position, range.upperBound)
    }
}

// MARK: - Separators

extension CSVReader {
    /// Returns the separator that a first line `sep=;` declares, and where the next line begins.
    private static func declaredSeparator(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) -> (UInt8, Int)? {
        var position = range.lowerBound
        let isQuoted = position < range.upperBound && bytes[position] == .ascii("\"")
        if isQuoted { position += 1 }
        guard position + 4 < range.upperBound,
            bytes.extracting(position..<position + 4).equalsIgnoringCase("sep=")
        else { return nil }
        var separator = bytes[position + 4]
        position += 5
        if separator == .ascii("\\"), position < range.upperBound, bytes[position] == .ascii("t") {
            separator = 0x09
            position += 1
        }
        if isQuoted, position < range.upperBound, bytes[position] == .ascii("\"") { position += 1 }
        while position < range.upperBound, bytes[position].isBlank, separator != 0x09 {
            position += 1
        }
        guard separator > 0x20 || separator == 0x09, separator != .ascii("\""),
            position < range.upperBound, bytes[position] == 0x0A || bytes[position] == 0x0D
        else { return nil }
        if bytes[position] == 0x0D, position + 1 < range.upperBound, bytes[position + 1] == 0x0A {
            position += 1
        }
        return (separator, position + 1)
    }

    /// Returns the most frequent of comma, semicolon, tab and bar in the first record that contains
    /// any.
    private static func separator(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
        var counts = (comma: 0, semicolon: 0, tab: 0, bar: 0)
        var position = range.lowerBound
        while position < range.upperBound {
            switch bytes[position] {
            case .ascii(","): counts.comma += 1
            case .ascii(";"): counts.semicolon += 1
            case .ascii("|"): counts.bar += 1
            case 0x09: counts.tab += 1
            case .ascii("\""): position = endOfQuotes(bytes, position + 1..<range.upperBound)
            case 0x0A, 0x0D:
                guard counts == (0, 0, 0, 0) else { return most(counts) }
            default: break
            }
            position += 1
        }
        return most(counts)
    }

    private static func most(_ counts: (comma: Int, semicolon: Int, tab: Int, bar: Int)) -> UInt8 {
        let most = max(counts.comma, counts.semicolon, counts.tab, counts.bar)
        if counts.comma == most { return .ascii(",") }
        if counts.semicolon == most { return .ascii(";") }
        return counts.tab == most ? 0x09 : .ascii("|")
    }
}

// MARK: - Names

extension CSVReader {
    /// Whether the text begins with a single word, quoted or not, that a separator could end.
    ///
    /// Most texts do not, and then need no search for separators.
    static func beginsWithName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        if bytes.extracting(range).starts(with: "\u{FEFF}") { position += 3 }
        while position < range.upperBound, bytes[position].isBlank { position += 1 }
        if position < range.upperBound, bytes[position] == .ascii("\"") { return true }
        let start = position
        while position < range.upperBound, isNameByte(bytes[position]) { position += 1 }
        guard position > start else { return false }
        if bytes.extracting(start..<position).equalsIgnoringCase("sep") { return true }
        while position < range.upperBound, bytes[position] == 0x20 { position += 1 }
        guard position < range.upperBound else { return true }
        switch bytes[position] {
        case .ascii(","), .ascii(";"), 0x09, 0x0A, 0x0D: return true
        default: return false
        }
    }

    /// Whether a value is a single word.
    static func isName(_ text: Span<UInt8>) -> Bool {
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
}
