// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineSQL
internal import TaplineStoreSchema

extension BodyStore {
    /// Removes a body unless an exchange still uses it.
    ///
    /// Requires `ExchangeIndex.bodies`.
    func removeUnused(_ id: Int64) throws {
        let removal = try connection.cached(
            """
            DELETE FROM bodies WHERE id = ?1
              AND NOT EXISTS (SELECT 1 FROM exchanges INDEXED BY exchanges_by_request_body
                WHERE typeof(request_body) = 'integer' AND request_body = ?1)
              AND NOT EXISTS (SELECT 1 FROM exchanges INDEXED BY exchanges_by_response_body
                WHERE typeof(response_body) = 'integer' AND response_body = ?1)
              RETURNING hash, content IS NULL, \(BodyFileSizes.stated)
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
            let size = removal.isNull(2) ? Int64(files.size(of: digest)) : removal.integer(2)
            fileBytes = max(fileBytes - size, 0)
        }
        hits.removeAll()
        // A statement that returns rows is complete only after a step that returns none.
        _ = try removal.step()
    }

    /// Removes the files of bodies whose removal has been committed.
    ///
    /// Requires a transaction: only the holder of the write lock creates files, so none can
    /// reappear between the check and the removal.
    func removeDeadFiles() throws {
        guard !deadFiles.isEmpty else { return }
        // A file that cannot be removed becomes an orphan; the next start tries again.
        for digest in deadFiles where try !hasFile(digest) { try? files.remove(digest) }
        deadFiles.removeAll()
    }

    /// Determines the total size of the body files.
    func measureFiles() throws {
        fileBytes = try BodyFileSizes.total(connection) { hash in
            Digest(hash).map { files.size(of: $0) } ?? 0
        }
    }

    /// Removes files that a crash left; requires a transaction.
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
