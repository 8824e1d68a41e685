// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// The schemes and authorities that rows refer to, read from the table `hosts` when first needed.
final class HostNames {
    /// A row of `hosts`.
    struct Name {
        let scheme: ByteString
        let authority: ByteString
    }

    /// How many names are kept; a full cache is emptied.
    private static let limit = 16_384

    private let query: SQLiteStatement
    private var names: [Int64: Name] = [:]

    init(_ connection: SQLiteConnection) throws {
        query = try connection.prepare("SELECT scheme, authority FROM hosts WHERE id = ?1")
    }

    /// Discards the cached names: a writer may have changed the table.
    func removeAll() { names.removeAll(keepingCapacity: true) }

    /// Returns a name; `nil` if there is no such row.
    func name(_ id: Int64) throws -> Name? {
        if let name = names[id] { return name }
        defer { query.reset() }
        try query.bind(1, integer: id)
        guard try query.step() else { return nil }
        let name = Name(
            scheme: query.withBlob(0) { ByteString($0) },
            authority: query.withBlob(1) { ByteString($0) }
        )
        if names.count >= Self.limit { removeAll() }
        names[id] = name
        return name
    }
}
