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
        query = try connection.prepare("SELECT \(Self.columns) FROM bodies WHERE id = ?1")
    }

    /// The columns of a body; the second parameter is the largest size.
    ///
    /// The content of a body that is too large is not read.
    private static let columns = "CASE WHEN size <= ?2 THEN content END, size, hash"

    /// Where the bytes of a body are.
    enum Source {
        /// In the first column of the row, as they are.
        case row
        /// There as a zlib stream, as in SQLite archives; decompressed.
        case compressed([UInt8])
        /// In a file named by its hash; read from there.
        case file([UInt8])
    }

    /// Reads a body; `nil` if it or its file is missing, or does not have the stored size.
    ///
    /// **Throws**: `RowDecoder.Problem` if it is too large; `SQLiteError` or `FileError`.
    func read(_ id: Int64) throws -> [UInt8]? {
        defer { query.reset() }
        try query.bind(1, integer: id)
        try query.bind(2, integer: Int64(min(maxBytes ?? Self.maxBytes, Self.maxBytes)))
        guard try query.step(), let source = try source(of: query) else { return nil }
        switch source {
        case .row: return query.blob(0)
        case .compressed(let bytes), .file(let bytes): return bytes
        }
    }

    /// Prepares a statement over the bodies of a range, whose rows `source` reads; the id is in the
    /// last column.
    static func rows(
        _ ids: ClosedRange<Int64>,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> SQLiteStatement {
        let rows = try connection.cached(
            "SELECT \(columns), id FROM bodies WHERE id BETWEEN ?1 AND ?3"
        )
        try rows.bind(1, integer: ids.lowerBound)
        try rows.bind(2, integer: Int64(maxBytes))
        try rows.bind(3, integer: ids.upperBound)
        return rows
    }

    /// Finds the bytes of the current row; `nil` and throws under the same conditions as `read`.
    func source(of row: SQLiteStatement) throws -> Source? {
        let size = Int(clamping: row.integer(1))
        if let maxBytes, size > maxBytes {
            throw RowDecoder.Problem(
                message: "the exchange is too large; found a body of \(size) bytes, expected at "
                    + "most \(maxBytes)"
            )
        }
        guard 0...Self.maxBytes ~= size else { return nil }
        if row.isNull(0) {
            guard let hash = row.withBlob(2, { Digest($0) }), let bytes = try file(hash, size)
            else { return nil }
            return .file(bytes)
        }
        return row.withBlob(0) { content in
            guard content.count < size else { return content.count == size ? .row : nil }
            // A shorter value is a zlib stream.
            return Self.inflated(content, size).map { .compressed($0) }
        }
    }

    private static func inflated(_ content: Span<UInt8>, _ size: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        do {
            let limits = DecodingLimits(maxOutputBytes: size, maxRatio: 0)
            try ContentDecoder(.deflate, limits: limits)
                .decodeWhole(content, appendingTo: &bytes)
        } catch {
            return nil
        }
        return bytes.count == size ? bytes : nil
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
