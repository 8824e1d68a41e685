// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineJSON
internal import TaplineSQL
internal import TaplineStoreSchema

/// Changes the table `bodies` and the files of large bodies, with their keys in `body_index`.
///
/// A new file is written before the transaction ends, and an old one is removed after it. After a
/// power failure, a file without a row may remain; the next run of the sink removes it.
///
/// **Isolation**: within a transaction.
final class BodyTable {
    private let connection: SQLiteConnection
    let files: BodyFiles
    /// The files whose rows were removed or changed.
    private var obsoleteFiles: [Digest] = []

    init(_ connection: SQLiteConnection, _ path: String) {
        self.connection = connection
        files = BodyFiles(database: path)
    }

    // MARK: Removing

    /// Removes those of the bodies that no exchange refers to.
    func removeUnused(among bodies: Set<Int64>) throws {
        guard !bodies.isEmpty else { return }
        var unused = bodies
        let rows = try connection.prepare(
            """
            SELECT request_body, response_body FROM exchanges
              WHERE typeof(request_body) = 'integer' OR typeof(response_body) = 'integer'
            """
        )
        while !unused.isEmpty, try rows.step() {
            for column: Int32 in 0...1 where rows.type(column) == .integer {
                unused.remove(rows.integer(column))
            }
        }
        rows.reset()
        for body in unused.sorted() { try remove(body) }
    }

    private func remove(_ body: Int64) throws {
        let removal = try connection.cached(
            "DELETE FROM bodies WHERE id = ?1 RETURNING hash, content IS NULL"
        )
        defer { removal.reset() }
        try removal.bind(1, integer: body)
        guard try removal.step(), let digest = removal.withBlob(0, { Digest($0) }) else { return }
        let isInFile = removal.integer(1) != 0
        // A statement that returns rows is complete only after a step that returns none.
        _ = try removal.step()
        _ = try removeKey(of: digest, body)
        if isInFile { obsoleteFiles.append(digest) }
    }

    private func removeKey(of digest: Digest, _ body: Int64) throws -> Bool {
        let removal = try connection.cached("DELETE FROM body_index WHERE key = ?1 AND body = ?2")
        try removal.bind(1, integer: Int64(bitPattern: digest.word0))
        try removal.bind(2, integer: body)
        try removal.run()
        return connection.changes > 0
    }

    // MARK: Replacing

    /// Replaces the content of a body; its hash and its key change with it.
    ///
    /// - Parameters:
    ///   - body: The number of the row.
    ///   - former: The former hash.
    ///   - bytes: The new bytes.
    ///   - stored: What the row stores: the bytes or their compressed form; `nil` for a file.
    /// - Throws: `SQLiteError`, or `FileError` if the file cannot be written.
    func replace(
        _ body: Int64,
        _ former: Digest,
        with bytes: [UInt8],
        stored: [UInt8]?
    ) throws {
        let digest = SHA256.hash(bytes.span)
        guard digest != former else { return }
        if stored == nil {
            obsoleteFiles.append(former)
            if let other = try row(ofFile: digest) { return try merge(body, former, into: other) }
            try files.write(bytes.span, digest)
        }
        let update = try connection.cached(
            "UPDATE bodies SET hash = ?1, size = ?2, content = ?3 WHERE id = ?4"
        )
        defer { update.reset() }
        let hash = digest.bytes
        try update.bind(1, blob: hash.span)
        try update.bind(2, integer: Int64(bytes.count))
        if let stored { try update.bind(3, text: stored, unlessCompressed: stored == bytes) }
        try update.bind(4, integer: body)
        try update.run()
        // Bodies after the last merge are not in the index.
        guard try removeKey(of: former, body) else { return }
        let insertion = try connection.cached("INSERT OR IGNORE INTO body_index VALUES (?1, ?2)")
        try insertion.bind(1, integer: Int64(bitPattern: digest.word0))
        try insertion.bind(2, integer: body)
        try insertion.run()
    }

    /// Makes exchanges refer to another body with the same content; each file has one row.
    private func merge(_ body: Int64, _ former: Digest, into other: Int64) throws {
        for column in ["request_body", "response_body"] {
            let update = try connection.cached(
                """
                UPDATE exchanges SET \(column) = ?1
                  WHERE typeof(\(column)) = 'integer' AND \(column) = ?2
                """
            )
            try update.bind(1, integer: other)
            try update.bind(2, integer: body)
            try update.run()
        }
        let removal = try connection.cached("DELETE FROM bodies WHERE id = ?1")
        try removal.bind(1, integer: body)
        try removal.run()
        _ = try removeKey(of: former, body)
    }

    // MARK: Files

    /// Returns the row of a body that is stored in a file.
    private func row(ofFile digest: Digest) throws -> Int64? {
        let query = try connection.cached(
            "SELECT id FROM bodies WHERE hash = ?1 AND content IS NULL"
        )
        defer { query.reset() }
        let hash = digest.bytes
        try query.bind(1, blob: hash.span)
        return try query.step() ? query.integer(0) : nil
    }

    /// Removes the obsolete files, unless a row names them again; the transaction that made them
    /// obsolete must be committed.
    ///
    /// Requires a transaction: a writer creates files only while it has the write lock, so none
    /// reappears between the check and the removal.
    func removeObsoleteFiles() throws {
        for digest in obsoleteFiles where try row(ofFile: digest) == nil {
            try files.remove(digest)
        }
        obsoleteFiles.removeAll()
    }

    var hasObsoleteFiles: Bool { !obsoleteFiles.isEmpty }

    /// Removes files that no row names, as a crash leaves them; other files are not touched.
    ///
    /// Requires a transaction, and that nobody else writes.
    func removeOrphans() throws {
        let known = Set(try hashesOfFiles())
        try files.removeOrphans { known.contains($0) }
    }

    /// Makes the files of all bodies obsolete, since their rows are going to be replaced.
    func makeAllFilesObsolete() throws { obsoleteFiles += try hashesOfFiles() }

    /// The hashes of all bodies that are stored in files.
    func hashesOfFiles() throws -> [Digest] {
        var hashes: [Digest] = []
        let query = try connection.prepare("SELECT hash FROM main.bodies WHERE content IS NULL")
        while try query.step() {
            if let digest = query.withBlob(0, { Digest($0) }) { hashes.append(digest) }
        }
        query.reset()
        return hashes
    }
}

extension SQLiteStatement {
    /// Binds the content of a body: text if it is uncompressed text, as the sink does.
    fileprivate func bind(
        _ index: Int32,
        text bytes: [UInt8],
        unlessCompressed isPlain: Bool
    ) throws(SQLiteError) {
        if isPlain, !bytes.contains(0), isValidUTF8(bytes.span) {
            try bind(index, text: bytes.span)
        } else {
            try bind(index, blob: bytes.span)
        }
    }
}
