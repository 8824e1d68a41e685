// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineSQL

/// Finds the rows of several databases that are copies of exchanges that an earlier one has.
///
/// What was found is kept. After a database has changed, only the rows that were added are compared,
/// and the copies that are known, if others were removed. Sets of the same databases on several
/// threads may share this.
///
/// **Limits**: see `CommonIDs`; 16 bytes for each copy afterwards, less if there are many.
/// **Isolation**: any thread; one at a time compares, and others wait for it.
package final class ExchangeCopies: Sendable {
    private struct Known {
        var contents: [DatabaseContents] = []
        var copies: [RowNumbers] = []
    }

    private let lookupCost: Int
    private let known = Mutex(Known())

    /// Prepares to find copies.
    package convenience init() { self.init(lookupCost: CopyChanges.lookupCost) }

    /// The same with another cost of looking up an id, in ids that are compared in order.
    init(lookupCost: Int) { self.lookupCost = lookupCost }

    /// Returns which rows of each database count.
    ///
    /// - Throws: `StoreError` if a database cannot be read; `QueryCancelled`.
    func rows(
        of databases: [DatabaseStore],
        _ progress: QueryProgress? = nil
    ) throws -> [CountedRows] {
        let readers = databases.map(\.reader)
        return try known.withLock { known in
            try Self.snapshot(readers[...]) {
                let contents = try readers.map { try DatabaseContents($0) }
                if contents != known.contents {
                    let changes = try CopyChanges(readers, contents, after: known.contents)
                    if let copies = try changes?.update(known.copies, lookupCost, progress) {
                        known.copies = copies
                    } else {
                        var ids = try CommonIDs(readers)
                        known.copies = try ids.find(progress)
                    }
                    known.contents = contents
                }
                return zip(contents, known.copies).map { contents, copies in
                    CountedRows(last: contents.last, copies: copies)
                }
            }
        }
    }

    /// Runs a closure in a read transaction of each database.
    private static func snapshot<Result>(
        _ readers: ArraySlice<DatabaseReader>,
        _ body: () throws -> Result
    ) throws -> Result {
        guard let first = readers.first else { return try body() }
        return try first.snapshot { try snapshot(readers.dropFirst(), body) }
    }
}

/// What tells whether rows of a database were added or removed; in a transaction.
struct DatabaseContents: Sendable, Equatable {
    /// The number of the first row; `Int64.min` if there is none.
    private(set) var first = Int64.min
    /// The number of the last row; `Int64.min` if there is none.
    private(set) var last = Int64.min
    private(set) var count = 0
    /// The id of the last row, whose number another row may get.
    private(set) var lastID: [UInt8] = []

    private init() {}

    init(_ reader: DatabaseReader) throws {
        self = try reader.naming {
            var contents = DatabaseContents()
            let query = try reader.connection.cached(
                """
                SELECT (SELECT min(seq) FROM exchanges), seq, (SELECT count(*) FROM exchanges), id
                  FROM exchanges ORDER BY seq DESC LIMIT 1
                """
            )
            defer { query.reset() }
            guard try query.step() else { return contents }
            contents.first = query.integer(0)
            contents.last = query.integer(1)
            contents.count = Int(clamping: query.integer(2))
            contents.lastID = query.blob(3)
            return contents
        }
    }
}
