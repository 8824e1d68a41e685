// SPDX-License-Identifier: MIT

internal import TaplineFormats
package import TaplineModel
internal import TaplineSQL

extension StoreEditor {
    /// The longest name of a tag, in bytes.
    package static let maxTagName = 256

    /// Adds a note to exchanges.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - author: Who wrote it; empty if that is not to be stored.
    ///   - at: When it was written.
    ///   - keys: The exchanges; those that were removed in the meantime are left out.
    /// - Returns: How many exchanges have the note now.
    /// - Throws: `StoreError` if the text is empty or too long, or the database cannot be written.
    @discardableResult
    package func addNote(
        _ text: String,
        by author: String = "",
        at: Timestamp,
        to keys: [StoreKey]
    ) throws -> Int {
        guard !text.isEmpty else { throw StoreError(.badValue, "the note is empty") }
        try check(text, "note")
        try check(author, "name of the author")
        return try write {
            let count = try choose(keys)
            try insert(text, "", author, at)
            return count
        }
    }

    /// Adds notes and tags to exchanges as they are, such as those of other copies.
    ///
    /// - Parameter annotations: Exchanges with their new notes and tags; those that were removed in
    ///   the meantime are left out.
    /// - Throws: `StoreError` if the database cannot be written; nothing is added then.
    package func add(
        _ annotations: [(key: StoreKey, notes: [ExchangeNote], tags: Tags)]
    ) throws {
        try write {
            for (key, notes, tags) in annotations where try choose([key]) > 0 {
                for note in notes { try insert(note.text, note.mark, note.author, note.at) }
                for tag in tags { try run(Self.tagging, tag.name, tag.value) }
            }
        }
    }

    /// Removes the notes of exchanges, and keeps their marks.
    ///
    /// - Parameter keys: The exchanges.
    /// - Returns: How many of them exist.
    /// - Throws: `StoreError` if the database cannot be written.
    @discardableResult
    package func removeNotes(from keys: [StoreKey]) throws -> Int {
        try write {
            let count = try choose(keys)
            try connection.execute(
                """
                DELETE FROM notes WHERE mark = '' AND exchange IN (SELECT seq FROM temp.chosen);
                UPDATE notes SET text = '', author = ''
                  WHERE exchange IN (SELECT seq FROM temp.chosen);
                """
            )
            return count
        }
    }

    /// Marks exchanges.
    ///
    /// - Parameters:
    ///   - keys: The exchanges; those that were removed in the meantime are left out.
    ///   - mark: A star, which is added to a colour; a colour, which replaces another one; `nil` to
    ///     remove all marks.
    ///   - at: When it was set.
    /// - Returns: How many exchanges have the mark now.
    /// - Throws: `StoreError` if the database cannot be written.
    @discardableResult
    package func mark(_ keys: [StoreKey], as mark: StoreMark?, at: Timestamp) throws -> Int {
        try write {
            let count = try choose(keys)
            // What others wrote may be any text; all but the star counts as a colour.
            let replaced =
                switch mark {
                case nil: "mark <> ''"
                case .star?: "mark = 'star'"
                default: "mark NOT IN ('', 'star')"
                }
            try connection.execute(
                """
                DELETE FROM notes WHERE \(replaced) AND text = ''
                  AND exchange IN (SELECT seq FROM temp.chosen);
                UPDATE notes SET mark = '' WHERE \(replaced)
                  AND exchange IN (SELECT seq FROM temp.chosen);
                """
            )
            if let mark { try insert("", mark.rawValue, "", at) }
            return count
        }
    }

    /// Sets and removes tags of exchanges.
    ///
    /// The tags that were captured stay in their rows; what people set takes their place.
    ///
    /// - Parameters:
    ///   - tags: The names, each with its text; `nil` removes the tag.
    ///   - keys: The exchanges; those that were removed in the meantime are left out.
    /// - Returns: How many exchanges have the tags now.
    /// - Throws: `StoreError` if a name or a text is not allowed, if an exchange would have more tags
    ///   than recordings can have, or if the database cannot be written; no tag is changed then.
    @discardableResult
    package func setTags(
        _ tags: [(name: String, value: String?)],
        of keys: [StoreKey]
    ) throws -> Int {
        for tag in tags {
            try check(tag: tag.name)
            try check(tag.value ?? "", "value of a tag")
        }
        return try write {
            let count = try choose(keys)
            for tag in tags {
                if let value = tag.value {
                    try run(Self.tagging, tag.name, value)
                } else {
                    try run(Self.untagging, tag.name)
                    try run(Self.hiding, tag.name)
                }
            }
            try checkTagCounts()
            return count
        }
    }

    private static let tagging =
        "INSERT OR REPLACE INTO tags SELECT seq, ?1, ?2 FROM temp.chosen"
    private static let untagging =
        "DELETE FROM tags WHERE name = ?1 AND exchange IN (SELECT seq FROM temp.chosen)"
    /// Removes a tag that may have been captured.
    private static let hiding = """
        INSERT INTO tags SELECT c.seq, ?1, NULL FROM temp.chosen c
          JOIN exchanges e ON e.seq = c.seq WHERE e.tags IS NOT NULL
        """

    /// Whether a chosen exchange has too many tags.
    ///
    /// A captured tag takes at least six characters, so that most JSON is not parsed.
    private static let excess = """
        SELECT EXISTS (
          SELECT 1 FROM (
            SELECT e.seq AS seq, e.tags AS captured,
                (SELECT count(*) FROM tags t WHERE t.exchange = e.seq AND t.value IS NOT NULL) AS own
              FROM temp.chosen c JOIN exchanges e ON e.seq = c.seq
          ) x
          WHERE own + ifnull(length(captured), 0) / 6 > ?1
            AND own + (
              SELECT count(*) FROM json_each(iif(json_valid(captured), captured, '{}')) j
                WHERE j.key NOT IN (SELECT t.name FROM tags t WHERE t.exchange = x.seq)
            ) > ?1
        )
        """

    /// Rejects more tags of an exchange than NDJSON can have; requires a transaction.
    private func checkTagCounts() throws {
        let query = try connection.cached(Self.excess)
        defer { query.reset() }
        try query.bind(1, integer: Int64(RecordParser.maxTags))
        guard try query.step(), query.integer(0) != 0 else { return }
        throw StoreError(
            .badValue,
            "an exchange would have too many tags, which NDJSON could not hold; expected at most "
                + "\(RecordParser.maxTags)"
        )
    }

    private func run(_ sql: String, _ texts: String...) throws {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        for (position, text) in texts.enumerated() {
            try statement.bind(Int32(position + 1), text: text)
        }
        try statement.run()
    }

    /// Adds a row to the notes of each chosen exchange.
    private func insert(
        _ text: String,
        _ mark: String,
        _ author: String,
        _ at: Timestamp?
    ) throws {
        let insert = try connection.cached(
            """
            INSERT INTO notes (exchange, text, author, mark, at)
              SELECT seq, ?1, ?2, ?3, ?4 FROM temp.chosen
            """
        )
        defer { insert.reset() }
        try insert.bind(1, text: text)
        try insert.bind(2, text: author)
        try insert.bind(3, text: mark)
        if let at { try insert.bind(4, integer: at.microseconds) }
        try insert.run()
    }

    private func check(tag name: String) throws(StoreError) {
        guard !name.isEmpty, name.utf8.count <= Self.maxTagName else {
            throw StoreError(
                .badValue,
                "wrong name of a tag; found \(name.utf8.count) bytes, expected 1 to "
                    + "\(Self.maxTagName)"
            )
        }
        // It is also a column, which indexes and filters use.
        guard name != Correlation.tag else {
            throw StoreError(.badValue, "the tag '\(name)' is set by the stage 'correlate' only")
        }
    }
}
