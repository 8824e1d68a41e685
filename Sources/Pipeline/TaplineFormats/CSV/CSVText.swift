// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Lines of comma-separated values (RFC 4180).
///
/// Text from traffic cannot become a formula of a spreadsheet: a text that begins like one gets an
/// apostrophe in front.
///
/// **Source**: RFC 4180; OWASP, "CSV Injection".
package struct CSVText {
    /// The lines so far.
    package private(set) var bytes: [UInt8] = []
    private var isLineStart = true

    /// Creates an empty text.
    package init() {}

    /// Removes all lines but keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Writes a value that is text, which may come from traffic.
    package mutating func text(_ value: Span<UInt8>) {
        separate()
        let isFormula = Self.beginsFormula(value)
        guard isFormula || Self.needsQuotes(value) else {
            bytes.append(copying: value)
            return
        }
        bytes.append(.ascii("\""))
        if isFormula { bytes.append(.ascii("'")) }
        for index in value.indices {
            if value[index] == .ascii("\"") { bytes.append(.ascii("\"")) }
            bytes.append(value[index])
        }
        bytes.append(.ascii("\""))
    }

    /// Writes a value that is text.
    package mutating func text(_ value: String) { text(value.utf8.span) }

    /// Writes a number as it is, or nothing.
    package mutating func number(_ value: String?) {
        separate()
        if let value { bytes.append(copying: value.utf8.span) }
    }

    /// Ends the line.
    package mutating func endLine() {
        bytes.append(copying: "\r\n".utf8.span)
        isLineStart = true
    }

    private mutating func separate() {
        if !isLineStart { bytes.append(.ascii(",")) }
        isLineStart = false
    }

    /// Whether a spreadsheet would read a text as a formula: it ignores white space at the start,
    /// and some accept full-width signs.
    private static func beginsFormula(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty, !value[0].isLetter, !value[0].isDigit else { return false }
        if [0x09, 0x0A, 0x0D].contains(value[0]) { return true }
        let text = String(decoding: Array(copying: value), as: UTF8.self)
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\0" }
        return start.map { "=+-@＝＋－＠".unicodeScalars.contains($0) } ?? false
    }

    private static func needsQuotes(_ value: Span<UInt8>) -> Bool {
        for index in value.indices {
            switch value[index] {
            case .ascii(","), .ascii("\""), 0x0A, 0x0D: return true
            default: continue
            }
        }
        return false
    }
}
