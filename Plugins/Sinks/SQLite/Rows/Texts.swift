// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineSQL

/// Whether bytes are stored as text.
enum Texts {
    /// Whether the bytes are UTF-8 without a zero byte, at which SQLite's functions and shell stop.
    static func isText(_ bytes: Span<UInt8>) -> Bool {
        !hasZero(bytes) && isValidUTF8(bytes)
    }

    /// Checks all bytes: a loop without an early exit is vectorized.
    private static func hasZero(_ bytes: Span<UInt8>) -> Bool {
        var least = UInt8.max
        for index in bytes.indices { least = min(least, bytes[index]) }
        return least == 0
    }
}

extension SQLiteStatement {
    /// Binds text if the bytes are text, and a blob otherwise.
    func bind(_ index: Int32, bytes: Span<UInt8>) throws(SQLiteError) {
        if Texts.isText(bytes) {
            try bind(index, text: bytes)
        } else {
            try bind(index, blob: bytes)
        }
    }

    /// Binds a number; NULL if `value` is `nil`.
    func bind(_ index: Int32, optional value: Int?) throws(SQLiteError) {
        if let value { try bind(index, integer: Int64(value)) }
    }

    /// Binds microseconds; NULL if `value` is `nil`.
    func bind(_ index: Int32, optional value: Microseconds?) throws(SQLiteError) {
        if let value { try bind(index, integer: value.count) }
    }

    /// Binds text; NULL if it is empty.
    func bind(_ index: Int32, nonEmpty value: String) throws(SQLiteError) {
        if !value.isEmpty { try bind(index, text: value) }
    }
}
