// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineSQL

/// Whether bytes are stored as text.
enum Texts {
    /// UTF-8 without a zero byte, where SQLite's functions and shell would stop reading.
    static func isText(_ bytes: Span<UInt8>) -> Bool {
        !hasZero(bytes) && isValidUTF8(bytes)
    }

    /// Looks at all bytes, since a loop without an early end takes many at once.
    private static func hasZero(_ bytes: Span<UInt8>) -> Bool {
        var least = UInt8.max
        for index in bytes.indices { least = min(least, bytes[index]) }
        return least == 0
    }
}

extension SQLiteStatement {
    /// Binds text where the bytes are some, and a blob otherwise.
    func bind(_ index: Int32, bytes: Span<UInt8>) throws(SQLiteError) {
        if Texts.isText(bytes) {
            try bind(index, text: bytes)
        } else {
            try bind(index, blob: bytes)
        }
    }

    /// Binds a number; NULL where there is none.
    func bind(_ index: Int32, optional value: Int?) throws(SQLiteError) {
        if let value { try bind(index, integer: Int64(value)) }
    }

    /// Binds microseconds; NULL where there are none.
    func bind(_ index: Int32, optional value: Microseconds?) throws(SQLiteError) {
        if let value { try bind(index, integer: value.count) }
    }

    /// Binds text; NULL where there is none.
    func bind(_ index: Int32, nonEmpty value: String) throws(SQLiteError) {
        if !value.isEmpty { try bind(index, text: value) }
    }
}
