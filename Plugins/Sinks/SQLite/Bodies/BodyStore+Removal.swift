// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineSQL

extension BodyStore {
    /// Removes a body unless an exchange still has it.
    ///
    /// Needs `ExchangeIndex.bodies`.
    func removeUnused(_ id: Int64) throws {
        let removal = try connection.cached(
            """
            DELETE FROM bodies WHERE id = ?1
              AND NOT EXISTS (SELECT 1 FROM exchanges INDEXED BY exchanges_by_request_body
                WHERE typeof(request_body) = 'integer' AND request_body = ?1)
              AND NOT EXISTS (SELECT 1 FROM exchanges INDEXED BY exchanges_by_response_body
                WHERE typeof(response_body) = 'integer' AND response_body = ?1)
              RETURNING hash, content IS NULL, size
            """
        )
        defer { removal.reset() }
        try removal.bind(1, integer: id)
        guard try removal.step(), let digest = removal.withBlob(0, { Digest($0) }) else { return }
        let isInFile = removal.integer(1) != 0
        set.remove(digest.word0, id)
        dead.append((digest.word0, id))
        if isInFile {
            deadFiles.append(digest)
            fileBytes -= removal.integer(2)
        }
        hits.removeAll()
        // A statement that returns rows is done only when it has said so.
        _ = try removal.step()
    }

    /// Removes the files of bodies whose removal is committed.
    ///
    /// Within a transaction: only who holds the write lock makes files, so that none comes back
    /// between the question and the removal.
    func removeDeadFiles() throws {
        guard !deadFiles.isEmpty else { return }
        // What cannot be removed now is an orphan, and tried again when the database is opened next.
        for digest in deadFiles where try !hasFile(digest) { try? files.remove(digest) }
        deadFiles.removeAll()
    }

    /// Finds out how many bytes the body files have.
    func measureFiles() throws {
        let sum = "SELECT sum(size) FROM bodies WHERE content IS NULL"
        fileBytes = try connection.integer(sum) ?? 0
    }

    /// Removes files that a crash left behind; within a transaction.
    func removeOrphans() throws -> Int {
        try files.removeOrphans { try hasFile($0) }
    }

    private func hasFile(_ digest: Digest) throws -> Bool {
        let query = try connection.cached(
            "SELECT 1 FROM bodies WHERE hash = ?1 AND content IS NULL"
        )
        defer { query.reset() }
        try query.bind(1, blob: digest.bytes.span)
        return try query.step()
    }
}
