// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// Writes the notes of people that imported exchanges have.
///
/// **Isolation**: within a transaction.
struct NoteRows {
    private let row: SQLiteStatement

    init(_ connection: SQLiteConnection) throws {
        row = try connection.cached(
            "INSERT INTO notes (exchange, text, author, mark, at) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
    }

    /// Writes the notes of the exchange with a row number.
    func insert(_ notes: [ExchangeNote], of exchange: Int64) throws {
        defer { row.reset() }
        for note in notes {
            try row.bind(1, integer: exchange)
            try row.bind(2, text: note.text)
            try row.bind(3, text: note.author)
            try row.bind(4, text: note.mark)
            if let at = note.at { try row.bind(5, integer: at.microseconds) }
            try row.run()
        }
    }
}
