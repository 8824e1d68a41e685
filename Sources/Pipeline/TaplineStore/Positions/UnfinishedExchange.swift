// SPDX-License-Identifier: MIT

package import TaplineModel
internal import TaplineSQL

/// An exchange that has begun, and that no store has as a whole yet.
package struct UnfinishedExchange: Sendable {
    /// The id.
    package let id: ExchangeID
    /// The component that captures it.
    package let source: String
    /// When it began.
    package let started: Timestamp
    /// The method.
    package let method: String
    /// The scheme.
    package let scheme: String
    /// The host.
    package let host: String
    /// The port; `nil` if it is that of the scheme.
    package let port: Int?
}

extension StoreSet {
    /// Returns exchanges that are in progress in programs that write the databases now.
    ///
    /// - Parameter limit: The maximum number.
    /// - Returns: The ones that began last, the last one first.
    /// - Throws: `StoreError` if a store cannot be read.
    package func unfinished(limit: Int) throws -> [UnfinishedExchange] {
        var found: [UnfinishedExchange] = []
        for store in stores {
            guard case .database(let database) = store.content else { continue }
            found += try database.unfinished(limit: limit)
        }
        found.sort { $0.started > $1.started }
        return Array(found.prefix(limit))
    }
}

extension DatabaseStore {
    /// The version of the schema that introduced the table.
    private static let schemaWithActive = 2

    fileprivate func unfinished(limit: Int) throws -> [UnfinishedExchange] {
        try reader.snapshot {
            guard reader.schema >= Self.schemaWithActive else { return [] }
            // A run that was ended by force has left its exchanges; the last one may still go on.
            let query = try reader.connection.cached(
                """
                SELECT a.id, a.source, a.started, a.method, a.scheme, a.host, a.port
                  FROM active a JOIN runs r ON r.id = a.run
                  WHERE r.closed IS NULL AND r.id = (SELECT max(id) FROM runs)
                  ORDER BY a.started DESC LIMIT ?1
                """
            )
            defer { query.reset() }
            try query.bind(1, integer: Int64(clamping: limit))
            var found: [UnfinishedExchange] = []
            while try query.step() {
                guard let id = query.withBlob(0, { ExchangeID(bytes: $0) }) else { continue }
                found.append(
                    UnfinishedExchange(
                        id: id,
                        source: query.text(1) ?? "",
                        started: Timestamp(microseconds: query.integer(2)),
                        method: String(decoding: query.blob(3), as: UTF8.self),
                        scheme: String(decoding: query.blob(4), as: UTF8.self),
                        host: String(decoding: query.blob(5), as: UTF8.self),
                        port: query.isNull(6) ? nil : Int(clamping: query.integer(6))
                    )
                )
            }
            return found
        }
    }
}
