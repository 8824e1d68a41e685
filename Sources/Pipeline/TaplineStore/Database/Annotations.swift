// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// Adds what people wrote to exchanges: notes, marks and tags, which have tables of their own.
///
/// **Isolation**: the thread of its connection; within a transaction.
final class Annotations {
    /// The version of the schema that introduced the tables.
    static let schema = 3

    private let presence: SQLiteStatement
    private let notes: SQLiteStatement
    private let tags: SQLiteStatement
    /// Which of the tables have rows; `nil` if that is not known.
    private var present: (notes: Bool, tags: Bool)?

    init(_ connection: SQLiteConnection) throws {
        presence = try connection.prepare(
            "SELECT EXISTS (SELECT 1 FROM notes), EXISTS (SELECT 1 FROM tags)"
        )
        notes = try connection.prepare(
            "SELECT text, author, mark, at FROM notes WHERE exchange = ?1 ORDER BY id"
        )
        tags = try connection.prepare("SELECT name, value FROM tags WHERE exchange = ?1")
    }

    /// Discards what is known: a writer may have changed the tables.
    func refresh() { present = nil }

    /// Adds notes and tags to an exchange, for the columns that were read.
    ///
    /// Notes in `extra`, which an earlier version of the sink can write while the schema is
    /// upgraded, do not count: filters in SQL look only into the table.
    func add(to exchange: inout Exchange, _ number: Int64, _ columns: RowColumns) throws {
        let present = try self.present ?? readPresence()
        if columns.contains(.extra) {
            if var extra = exchange.extra, !extra.notes.isEmpty {
                extra.notes = []
                exchange.extra = extra
            }
            if present.notes { try addNotes(to: &exchange, number) }
        }
        if present.tags, columns.contains(.tags) { try addTags(to: &exchange, number) }
    }

    private func readPresence() throws -> (notes: Bool, tags: Bool) {
        defer { presence.reset() }
        guard try presence.step() else { return (true, true) }
        let found = (notes: presence.integer(0) != 0, tags: presence.integer(1) != 0)
        present = found
        return found
    }

    private func addNotes(to exchange: inout Exchange, _ number: Int64) throws {
        defer { notes.reset() }
        try notes.bind(1, integer: number)
        var found: [ExchangeNote] = []
        while try notes.step() {
            found.append(
                ExchangeNote(
                    text: notes.text(0) ?? "",
                    author: notes.text(1) ?? "",
                    mark: notes.text(2) ?? "",
                    at: notes.isNull(3) ? nil : Timestamp(microseconds: notes.integer(3))
                )
            )
        }
        guard !found.isEmpty else { return }
        exchange.setExtra { $0.notes = found }
    }

    /// Applies the changes that people made to tags; NULL removes a tag.
    private func addTags(to exchange: inout Exchange, _ number: Int64) throws {
        defer { tags.reset() }
        try tags.bind(1, integer: number)
        while try tags.step() {
            exchange.tags[tags.text(0) ?? ""] = tags.isNull(1) ? nil : tags.text(1)
        }
    }
}
