// SPDX-License-Identifier: MIT

internal import TaplineModel

/// SQL with its values, for explanations; SQLite never gets it.
enum SQLText {
    /// How many bytes of a value are shown.
    private static let shownBytes = 60

    /// The condition with the values of its parameters; `***` for those that may be secrets.
    static func shown(_ condition: RowCondition) -> String {
        var text = ""
        // The pieces are ours: a question mark is always a parameter, followed by its number.
        for (position, piece) in condition.sql.split(
            separator: "?",
            omittingEmptySubsequences: false
        ).enumerated() {
            guard position > 0 else {
                text += piece
                continue
            }
            let digits = piece.prefix { ("0"..."9").contains($0) }
            let index = (Int(digits) ?? 0) - 1
            text +=
                condition.values.indices.contains(index) && !condition.hidden.contains(index)
                ? literal(condition.values[index]) : "***"
            text += piece.dropFirst(digits.count)
        }
        return text
    }

    private static func literal(_ value: SQLValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let bytes): quoted(bytes)
        case .blob(let bytes): bytes.allSatisfy { 0x20..<0x7F ~= $0 } ? quoted(bytes) : hex(bytes)
        }
    }

    private static func quoted(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(shownBytes), as: UTF8.self)
        let end = bytes.count > shownBytes ? "…" : ""
        return "'\(text.replacing("'", with: "''"))\(end)'"
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = bytes.prefix(shownBytes).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "x'\(digits.joined())\(bytes.count > shownBytes ? "…" : "")'"
    }
}
