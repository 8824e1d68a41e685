// SPDX-License-Identifier: MIT

internal import TaplineSQL
internal import TaplineStoreSchema
internal import TaplineSystem

extension DatabaseRewrite {
    // MARK: Replacing all exchanges

    /// Replaces the content of the database by that of another one, in one transaction; requires
    /// exclusive access.
    ///
    /// Exchanges keep their numbers. Those that the other database lacks are removed. Notes are those
    /// of the other database, whose exchanges have the tags of people among their own. Indexes, saved
    /// filters, unfinished exchanges and tables of other programs stay; full-text indexes are built
    /// again. Body files are moved.
    ///
    /// - Parameter other: A database that the sink `sqlite` has written with exchanges of this one,
    ///   in the same order; its content is undefined afterwards.
    /// - Returns: The full-text indexes that were removed, since they had their own copy of the text.
    /// - Throws: `StoreError`. The database is unchanged then, unless `isChanged`: removing former
    ///   body files, emptying the log or writing the database without free pages has failed, which
    ///   come after the transaction.
    @discardableResult
    package func replaceContent(with other: String) throws -> [String] {
        let freePages = try naming { try connection.integer("PRAGMA freelist_count") ?? 0 }
        try naming {
            let attach = try connection.prepare("ATTACH ?1 AS fresh")
            try attach.bind(1, text: FileSystem.absolute(other))
            try attach.run()
        }
        defer { try? connection.execute("DETACH fresh") }
        var report = ErasureReport()
        if let textIndex = try dropTextIndex() { report.dropped(index: textIndex) }
        try change { bodies in
            let indexes = try SearchIndexes(connection)
            try bodies.makeAllFilesObsolete()
            try BodyFiles(database: other).moveAll(to: bodies.files)
            try indexes.drop(&report)
            // The other database has the newest schema.
            try SchemaText.migrate(connection)
            try replaceTables()
            try indexes.restore()
        }
        try finish()
        // Pages that the sink freed earlier were not overwritten.
        if freePages > 0 { try vacuum() }
        return report.droppedIndexes
    }

    private func replaceTables() throws {
        try connection.execute(
            """
            CREATE TEMP TABLE renumbered AS
              SELECT n.seq AS fresh, o.seq AS seq
              FROM fresh.exchanges n JOIN main.exchanges o ON o.id = n.id;
            CREATE INDEX temp.renumbered_by_fresh ON renumbered (fresh);
            DELETE FROM main.exchanges;
            """
        )
        let tables = ["bodies", "body_index", "hosts", "paths"]
        for table in tables {
            try connection.execute(
                """
                DELETE FROM main.\(table);
                INSERT INTO main.\(table) SELECT * FROM fresh.\(table);
                """
            )
        }
        // Up to which body the index is complete.
        try connection.execute(
            """
            DELETE FROM main.settings WHERE name = 'indexed';
            INSERT INTO main.settings SELECT * FROM fresh.settings WHERE name = 'indexed';
            INSERT INTO main.exchanges (seq, \(try exchangeColumns("")))
              SELECT r.seq, \(try exchangeColumns("n."))
              FROM fresh.exchanges n JOIN temp.renumbered r ON r.fresh = n.seq ORDER BY r.seq;
            INSERT INTO main.notes (exchange, text, author, mark, at)
              SELECT r.seq, n.text, n.author, n.mark, n.at
              FROM fresh.notes n JOIN temp.renumbered r ON r.fresh = n.exchange ORDER BY n.id;
            DROP TABLE temp.renumbered;
            """
        )
    }

    /// The columns of `exchanges` other than the number.
    private func exchangeColumns(_ prefix: String) throws -> String {
        let query = try connection.prepare("SELECT * FROM main.exchanges LIMIT 0")
        return (0..<Int32(clamping: query.columnCount))
            .compactMap { query.columnName($0) }
            .filter { $0 != "seq" }
            .map { prefix + SearchIndexes.quoted($0) }
            .joined(separator: ", ")
    }

    // MARK: Backups

    /// Rejects the path of a copy if it exists already.
    ///
    /// - Parameter path: The path of the copy.
    /// - Throws: `StoreError` if it exists, or that cannot be found out.
    package static func checkBackup(_ path: String) throws(StoreError) {
        do throws(FileError) {
            let file = try FileSystem.status(of: path)
            let folder = try FileSystem.status(of: BodyFiles(database: path).folder)
            if file == nil, folder == nil { return }
        } catch {
            throw StoreError(.system, error.description)
        }
        throw StoreError(
            .notChangeable,
            "the backup '\(path)' of an earlier change exists already; move or remove it first"
        )
    }

    /// Copies the database with its body files; requires exclusive access.
    ///
    /// - Parameters:
    ///   - target: The path of the copy, which must not exist.
    ///   - begin: Called before the copy is created.
    /// - Throws: `StoreError`; the copy is removed then.
    package func backUp(to target: String, begin: () -> Void = {}) throws {
        do {
            try Self.checkBackup(target)
            begin()
            do {
                try writeBackup(to: target)
            } catch {
                try? Self.removeBackup(target)
                throw error
            }
        } catch let error as FileError {
            throw StoreError(.system, error.description)
        }
    }

    private func writeBackup(to target: String) throws {
        // SQLite writes to an empty file, whose permissions it keeps.
        try File(target, for: .create).close()
        try naming {
            let copy = try connection.prepare("VACUUM INTO ?1")
            try copy.bind(1, text: FileSystem.absolute(target))
            try copy.run()
        }
        // SQLite does not wait until the copy is on disk (https://sqlite.org/lang_vacuum.html).
        try File(target, for: .read).syncData()
        try naming {
            let bodies = BodyTable(connection, path)
            let copies = BodyFiles(database: target)
            for digest in try bodies.hashesOfFiles() { try bodies.files.copy(digest, to: copies) }
        }
        try FileSystem.syncFolder(FileSystem.folder(of: target))
    }

    /// Removes a backup with its body files.
    ///
    /// - Parameter path: The path of the copy.
    /// - Throws: `StoreError` if it cannot be removed.
    package static func removeBackup(_ path: String) throws(StoreError) {
        do throws(FileError) {
            try FileSystem.remove(path)
            try BodyFiles(database: path).removeAll()
        } catch {
            throw StoreError(.system, error.description)
        }
    }
}
