// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCrypto
internal import TaplineSQL
internal import TaplineStoreSchema
internal import TaplineSystem

/// Reads the bodies that rows refer to: from the table `bodies`, compressed or not, or from files
/// next to the database.
///
/// **Isolation**: the thread of its connection; within a transaction.
final class StoredBodies {
    /// The limit of SQLite for a value; larger bodies are not kept.
    private static let maxBytes = 1 << 30

    private let files: BodyFiles
    /// The size above which a body is a problem of its row.
    private let maxBytes: Int?
    private let query: SQLiteStatement

    init(_ connection: SQLiteConnection, _ path: String, maxBytes: Int? = nil) throws {
        files = BodyFiles(database: path)
        self.maxBytes = maxBytes
        // The content of a body that is too large is not read.
        query = try connection.prepare(
            "SELECT CASE WHEN size <= ?2 THEN content END, size, hash FROM bodies WHERE id = ?1"
        )
    }

    /// How a body is stored.
    enum Form {
        /// As it is.
        case plain
        /// As a zlib stream, as in SQLite archives.
        case compressed
        /// In a file named by its hash.
        case file
    }

    /// Reads a body; `nil` if it or its file is missing, or does not have the stored size.
    ///
    /// **Throws**: `RowDecoder.Problem` if it is too large; `SQLiteError` or `FileError`.
    func read(_ id: Int64) throws -> [UInt8]? { try stored(id)?.bytes }

    /// Reads a body with its hash and its form, under the same conditions.
    func stored(_ id: Int64) throws -> (bytes: [UInt8], hash: Digest?, form: Form)? {
        defer { query.reset() }
        try query.bind(1, integer: id)
        try query.bind(2, integer: Int64(min(maxBytes ?? Self.maxBytes, Self.maxBytes)))
        guard try query.step() else { return nil }
        let size = Int(clamping: query.integer(1))
        if let maxBytes, size > maxBytes {
            throw RowDecoder.Problem(
                message: "the exchange is too large; found a body of \(size) bytes, expected at "
                    + "most \(maxBytes)"
            )
        }
        guard 0...Self.maxBytes ~= size else { return nil }
        let hash = query.withBlob(2) { Digest($0) }
        if query.isNull(0) {
            guard let hash, let bytes = try file(hash, size) else { return nil }
            return (bytes, hash, .file)
        }
        let content = query.blob(0)
        guard content.count < size else {
            return content.count == size ? (content, hash, .plain) : nil
        }
        // A shorter value is a zlib stream.
        var bytes: [UInt8] = []
        do {
            let limits = DecodingLimits(maxOutputBytes: size, maxRatio: 0)
            try ContentDecoder(.deflate, limits: limits)
                .decodeWhole(content.span, appendingTo: &bytes)
        } catch {
            return nil
        }
        return bytes.count == size ? (bytes, hash, .compressed) : nil
    }

    private func file(_ digest: Digest, _ size: Int) throws(FileError) -> [UInt8]? {
        let path = files.path(of: digest)
        guard let status = try FileSystem.status(of: path), status.kind == .regular,
            status.size == size
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        do throws(FileError) {
            let file = try File(path, for: .read)
            while bytes.count < size {
                let rest = min(size - bytes.count, 1 << 20)
                if try file.read(appendingTo: &bytes, atMost: rest) == 0 { break }
            }
        } catch {
            // Retention may have removed it in the meantime.
            if error.isMissing { return nil }
            throw error
        }
        return bytes.count == size ? bytes : nil
    }
}
