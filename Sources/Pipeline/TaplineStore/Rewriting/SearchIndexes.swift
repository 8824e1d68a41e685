// SPDX-License-Identifier: MIT

internal import TaplineSQL
internal import TaplineStoreSchema

/// The full-text indexes of a database.
///
/// FTS5 in SQLite 3.40 does not overwrite what is removed from an index, so indexes are dropped
/// before a change, and built again from their tables after it. So are the triggers that keep them
/// up to date.
struct SearchIndexes {
    private struct Index {
        let name: String
        let definition: String
        /// Whether it reads its text from another table, so that it can be built again.
        let isExternal: Bool
    }

    private let connection: SQLiteConnection
    private let indexes: [Index]
    private let triggers: [Trigger]
    /// What the names of the tables of an index end in (FTS5, FTS4, FTS3).
    private static let shadows = [
        "data", "idx", "content", "docsize", "config", "segments", "segdir", "stat",
    ]

    private struct Trigger {
        let name: String
        let definition: String
        /// Whether every index that it names can be built again.
        let isKept: Bool
    }

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        var indexes: [Index] = []
        let query = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
        )
        while try query.step() {
            guard let name = query.text(0), let sql = query.text(1) else { continue }
            let compact = sql.lowercased().filter { !$0.isWhitespace }
            guard let module = Self.module(compact) else { continue }
            let isExternal =
                module != "fts3" && compact.contains("content=")
                && !compact.contains("content=''") && !compact.contains("content=\"\"")
            indexes.append(Index(name: name, definition: sql, isExternal: isExternal))
        }
        query.reset()
        self.indexes = indexes
        triggers = try Self.triggers(of: indexes, connection)
    }

    /// The module of an index, from its definition without white space; `nil` for other tables.
    private static func module(_ definition: String) -> String? {
        ["fts5", "fts4", "fts3"].first {
            definition.contains("using\($0)(") || definition.hasSuffix("using\($0)")
        }
    }

    private static func triggers(
        of indexes: [Index],
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> [Trigger] {
        guard !indexes.isEmpty else { return [] }
        var triggers: [Trigger] = []
        let query = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        )
        while try query.step() {
            guard let name = query.text(0), let sql = query.text(1) else { continue }
            // Tapline's own triggers use its tables only.
            guard !SchemaText.triggers.contains(name) else { continue }
            let text = sql.lowercased()
            let named = indexes.filter { mentions($0.name.lowercased(), text) }
            guard !named.isEmpty else { continue }
            let isKept = named.allSatisfy(\.isExternal)
            triggers.append(Trigger(name: name, definition: sql, isKept: isKept))
        }
        query.reset()
        return triggers
    }

    /// Whether a definition has a name as a whole word.
    private static func mentions(_ name: String, _ definition: String) -> Bool {
        if definition.contains(quoted(name)) { return true }
        return definition.ranges(of: name).contains { range in
            let before = definition[..<range.lowerBound].last
            let after = definition[range.upperBound...].first
            return !isWordPart(before) && !isWordPart(after)
        }
    }

    /// Whether a character can be part of a name without quotes.
    private static func isWordPart(_ character: Character?) -> Bool {
        guard let character else { return false }
        return !character.isASCII || character.isLetter || character.isNumber || character == "_"
            || character == "$"
    }

    /// Whether a table belongs to one of the indexes.
    func contain(_ table: String) -> Bool {
        indexes.contains { index in
            table == index.name || Self.shadows.contains { table == "\(index.name)_\($0)" }
        }
    }

    /// Drops the indexes with their content; requires a transaction.
    func drop(_ report: inout ErasureReport) throws(SQLiteError) {
        for trigger in triggers {
            try connection.execute("DROP TRIGGER \(Self.quoted(trigger.name))")
        }
        for index in indexes {
            try connection.execute("DROP TABLE \(Self.quoted(index.name))")
            if !index.isExternal { report.dropped(index: index.name) }
        }
    }

    /// Builds the indexes again whose text is in a table, and their triggers; requires a transaction.
    func restore() throws(SQLiteError) {
        for index in indexes where index.isExternal {
            let name = Self.quoted(index.name)
            try connection.execute(index.definition)
            try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
        }
        for trigger in triggers where trigger.isKept {
            try connection.execute(trigger.definition)
        }
    }

    /// A name as SQL.
    static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }
}
