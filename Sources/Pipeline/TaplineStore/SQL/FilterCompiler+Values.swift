// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// How a column holds text.
enum TextStorage: Sendable {
    /// As text if the bytes are UTF-8 without a zero byte, as a blob otherwise.
    case bytes
    /// As text, possibly with zero bytes.
    case text
    /// As text without zero bytes.
    case plain

    /// The form in which an equal value is stored.
    func value(_ bytes: [UInt8]) -> SQLValue {
        // The text of a filter is UTF-8.
        if case .bytes = self, bytes.contains(0) { return .blob(bytes) }
        return .text(bytes)
    }
}

extension FilterCompiler {
    /// Compares text that is present: the column's expression is not NULL in the rows that matter.
    ///
    /// - Returns: The condition; `nil` if only memory can decide.
    func compare(
        _ comparison: FilterComparison,
        _ column: String,
        _ storage: TextStorage
    ) -> SQLTerm? {
        let texts = comparison.values.compactMap { value -> [UInt8]? in
            if case .text(let bytes) = value { bytes } else { nil }
        }
        let bytes = "CAST(\(column) AS BLOB)"
        switch comparison.comparison {
        case .exists: return SQLTerm("1")
        case .never: return SQLTerm("0")
        case .matches: return nil
        case .like: return like(comparison.glob ?? [], column, storage)
        case .isIn:
            let marks = texts.map { _ in "?" }.joined(separator: ", ")
            return SQLTerm("\(column) IN (\(marks))", texts.map(storage.value))
        default: break
        }
        guard let text = texts.first else { return nil }
        switch comparison.comparison {
        case .equal: return SQLTerm("\(column) = ?", [storage.value(text)])
        case .notEqual: return SQLTerm("\(column) <> ?", [storage.value(text)])
        case .contains:
            return text.isEmpty
                ? SQLTerm("1") : SQLTerm("tapline_contains(\(column), ?)", [.blob(text)])
        // Texts sort before blobs, whatever their bytes.
        case .less: return SQLTerm("\(bytes) < ?", [.blob(text)])
        case .lessOrEqual: return SQLTerm("\(bytes) <= ?", [.blob(text)])
        case .greater: return SQLTerm("\(bytes) > ?", [.blob(text)])
        case .greaterOrEqual: return SQLTerm("\(bytes) >= ?", [.blob(text)])
        default: return nil
        }
    }

    /// Matches a pattern of `*` and other bytes.
    private func like(_ pattern: [UInt8], _ column: String, _ storage: TextStorage) -> SQLTerm? {
        // `?` is one byte here and one character in SQLite, whose patterns end at a zero byte.
        guard !pattern.contains(.ascii("?")), !pattern.contains(0), pattern.count <= 1000 else {
            return nil
        }
        let parts = pattern.split(separator: .ascii("*"), omittingEmptySubsequences: false)
            .map { Array($0) }
        guard let head = parts.first, let tail = parts.last, parts.count > 1 else {
            return SQLTerm("\(column) = ?", [storage.value(pattern)])
        }
        let bytes = "CAST(\(column) AS BLOB)"
        let middle = parts[1..<parts.count - 1].filter { !$0.isEmpty }
        if head.isEmpty, tail.isEmpty {
            guard let part = middle.first else { return SQLTerm("1") }
            if middle.count == 1 { return SQLTerm("tapline_contains(\(column), ?)", [.blob(part)]) }
        }
        if middle.isEmpty {
            var conditions = ["length(\(bytes)) >= \(head.count + tail.count)"]
            var values: [SQLValue] = []
            if !head.isEmpty {
                conditions.append("substr(\(bytes), 1, \(head.count)) = ?")
                values.append(.blob(head))
            }
            if !tail.isEmpty {
                conditions.append("substr(\(bytes), -\(tail.count)) = ?")
                values.append(.blob(tail))
            }
            return SQLTerm(conditions.joined(separator: " AND "), values)
        }
        guard parts.count <= 9 else { return nil }
        var glob: [UInt8] = []
        for byte in pattern {
            if byte == .ascii("[") { glob += Array("[[]".utf8) } else { glob.append(byte) }
        }
        let matches = "\(column) GLOB ?"
        switch storage {
        case .plain: return SQLTerm(matches, [.text(glob)])
        case .bytes:
            return SQLTerm(
                "CASE WHEN typeof(\(column)) = 'text' THEN \(matches) END",
                [.text(glob)],
                isExact: false
            )
        case .text:
            return SQLTerm(
                "CASE WHEN instr(\(bytes), x'00') = 0 THEN \(matches) END",
                [.text(glob)],
                isExact: false
            )
        }
    }

    /// Compares a column that is NULL if the field is absent.
    func compare(_ comparison: FilterComparison, number column: String) -> SQLTerm? {
        guard comparison.comparison != .exists else { return SQLTerm("\(column) IS NOT NULL") }
        let operators: [FilterOperator: String] = [
            .equal: "=", .isIn: "=", .notEqual: "<>", .less: "<", .lessOrEqual: "<=",
            .greater: ">", .greaterOrEqual: ">=",
        ]
        guard let word = operators[comparison.comparison], !comparison.values.isEmpty else {
            return nil
        }
        var values: [SQLValue] = []
        var isExactInSQL = true
        for value in comparison.values {
            switch value {
            case .whole(let whole): values.append(.integer(whole))
            case .real(let real):
                // Memory compares as doubles, SQLite exactly; they differ only beyond 2^53.
                isExactInSQL = isExactInSQL && real.magnitude < 9_007_199_254_740_992
                values.append(.real(real))
            case .text: return nil
            }
        }
        guard isExactInSQL else { return nil }
        if comparison.comparison == .isIn {
            let marks = values.map { _ in "?" }.joined(separator: ", ")
            return SQLTerm("\(column) IS NOT NULL AND \(column) IN (\(marks))", values)
        }
        return SQLTerm("\(column) IS NOT NULL AND \(column) \(word) ?", values)
    }
}
