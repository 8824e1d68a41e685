// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds secrets in CSV (RFC 4180) and tab-separated values by the names of columns, and by the
/// keys of rows that are a key and a value.
///
/// The column names are in the first line. If the first line is a name and a value, it may be a
/// header or a row; then both are masked, unless the lines below decide.
struct CSVEditor {
    let rules: RuleSet

    func edit(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        var reader = CSVReader(bytes, range)
        var head: Head?
        while reader.readRecord(bytes) {
            if let head {
                editRecord(reader.fields, head, bytes, &edits)
            } else if !(reader.fields.count == 1 && reader.fields[0].isEmpty) {
                let first = Head(reader.fields, bytes, rules, after: reader)
                if first.mayBeRecord { editPair(reader.fields, bytes, &edits) }
                head = first
            }
        }
    }

    private func editRecord(
        _ fields: [Range<Int>],
        _ head: Head,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        let pair = head.rule(ofPairIn: fields, bytes, rules)
        for (column, field) in fields.enumerated() where !field.isEmpty {
            var rule = column < head.columns.count ? head.columns[column] : nil
            if rule == nil, let pair, pair.value == column { rule = pair.rule }
            if let rule { rules.replace(bytes, field, rule, .plain, &edits) }
        }
    }

    /// Edits a record that is a key and a value.
    private func editPair(
        _ fields: [Range<Int>],
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        guard CSVEditor.isPair(fields), let rule = CSVEditor.rule(fields[0], bytes, rules.text)
        else { return }
        rules.replace(bytes, fields[1], rule, .plain, &edits)
    }

    /// Whether a record has exactly two values.
    fileprivate static func isPair(_ fields: [Range<Int>]) -> Bool {
        fields.count >= 2 && !fields[0].isEmpty && !fields[1].isEmpty
            && fields.dropFirst(2).allSatisfy(\.isEmpty)
    }

    /// Returns the rule for a name, which may span several lines.
    fileprivate static func rule(
        _ field: Range<Int>,
        _ bytes: Span<UInt8>,
        _ names: NameRules
    ) -> Rule? {
        let written = bytes.extracting(field)
        guard written.containsAny(of: 0x0A, 0x0D, .ascii("\""), 0x09) else {
            return names.rule(forNested: written)
        }
        guard written.count <= 256 else { return nil }
        var name: [UInt8] = []
        for index in written.indices where written[index] != .ascii("\"") {
            let byte = written[index] <= 0x20 ? 0x20 : written[index]
            if byte != 0x20 || name.last != 0x20 { name.append(byte) }
        }
        return names.rule(forNested: name.span.extracting(name.span.trimmed(0..<name.count)))
    }
}

/// What the first record implies for the records below it.
private struct Head {
    /// The rule for each column.
    private(set) var columns: [Rule?] = []
    /// Whether the first record may itself be a key and a value.
    private(set) var mayBeRecord = false
    /// The columns of names and of values in a table of settings: `id,key,value`.
    private var names: (name: Int, value: Int)?

    init(
        _ fields: [Range<Int>],
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        after reader: CSVReader
    ) {
        var name: Int?
        for (column, field) in fields.enumerated() {
            columns.append(CSVEditor.rule(field, bytes, rules.text))
            switch JSONPairs.Role(of: bytes.extracting(field)) {
            case .name: name = name ?? column
            case .value: if let name, names == nil { names = (name, column) }
            case .none: break
            }
        }
        guard CSVEditor.isPair(fields), columns[0] != nil, columns[1] == nil else { return }
        mayBeRecord = true
        sampleRecords(reader, bytes, rules)
    }

    /// The number of records that are examined to distinguish keys from values.
    private static let sampledRecords = 64

    /// Decides by the first values of the records below whether they are names of settings or
    /// secrets.
    private mutating func sampleRecords(_ reader: CSVReader, _ bytes: Span<UInt8>, _ rules: RuleSet)
    {
        var reader = reader
        var areKeys = true
        var mayBeKeys = false
        var count = 0
        while count < Head.sampledRecords, reader.readRecord(bytes) {
            let first = reader.fields[0]
            guard !first.isEmpty else { continue }
            count += 1
            let written = bytes.extracting(first)
            // A secret may end like a name, but rarely without a digit before its end.
            let isKnown =
                PlainWords.isSetting(written)
                || !Head.hasDigitWithin(written) && CSVEditor.rule(first, bytes, rules.text) != nil
            areKeys = areKeys && isKnown && CSVEditor.isPair(reader.fields)
            mayBeKeys = mayBeKeys || CSVReader.isName(bytes.extracting(first))
        }
        if count > 0, !mayBeKeys { mayBeRecord = false }
        if count > 0, areKeys { columns[0] = nil }
    }

    /// Whether a letter follows a digit.
    private static func hasDigitWithin(_ text: Span<UInt8>) -> Bool {
        var hasDigit = false
        for index in text.indices {
            if text[index].isDigit {
                hasDigit = true
            } else if hasDigit, 0x61...0x7A ~= text[index] | 0x20 {
                return true
            }
        }
        return false
    }

    /// Returns the rule for the value of a record whose key is a name, and the column of that
    /// value.
    func rule(
        ofPairIn fields: [Range<Int>],
        _ bytes: Span<UInt8>,
        _ rules: RuleSet
    ) -> (rule: Rule, value: Int)? {
        let place: (name: Int, value: Int)
        if let names, names.value < fields.count {
            place = names
        } else if CSVEditor.isPair(fields) {
            place = (0, 1)
        } else {
            return nil
        }
        return CSVEditor.rule(fields[place.name], bytes, rules.text).map { ($0, place.value) }
    }
}

// MARK: - Tables without a type

extension CSVEditor {
    /// Whether a text is a table: its first line contains a name of a rule, or its lines are keys
    /// and values.
    ///
    /// All names in the first line must be single words, and the lines must have as many values.
    static func isLikely(_ bytes: Span<UInt8>, _ range: Range<Int>, _ rules: NameRules) -> Bool {
        guard CSVReader.beginsWithName(bytes, range) else { return false }
        let head = range.lowerBound..<min(range.upperBound, range.lowerBound + 4096)
        var reader = CSVReader(bytes, head)
        if reader.declaresSeparator { return true }
        reader.end = range.upperBound
        guard reader.readRecord(bytes), reader.fields.count > 1 else { return false }
        let columns = reader.fields.count
        if isPair(reader.fields), areKeys(bytes, reader, rules) { return true }
        var isNamed = false
        for field in reader.fields {
            let name = bytes.extracting(field)
            guard CSVReader.isName(name) else { return false }
            isNamed = isNamed || rules.rule(forNested: name) != nil
        }
        guard isNamed else { return false }
        repeat {
            guard reader.readRecord(bytes) else { return false }
        } while reader.fields.count == 1 && reader.fields[0].isEmpty
        return reader.fields.count == columns
    }

    /// Whether each line is a single word and a value, and at least one word is a rule's.
    private static func areKeys(
        _ bytes: Span<UInt8>,
        _ first: CSVReader,
        _ rules: NameRules
    ) -> Bool {
        var reader = first
        var isNamed = false
        var count = 0
        repeat {
            if reader.fields.count == 1, reader.fields[0].isEmpty { continue }
            guard reader.fields.count == 2, reader.hasTightFields else { return false }
            let name = bytes.extracting(reader.fields[0])
            guard CSVReader.isName(name), !reader.fields[1].isEmpty else { return false }
            isNamed = isNamed || rules.rule(forNested: name) != nil
            count += 1
        } while reader.readRecord(bytes)
        return isNamed && count > 1
    }
}
