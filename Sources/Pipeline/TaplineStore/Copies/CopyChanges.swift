// SPDX-License-Identifier: MIT

internal import TaplineSQL

/// What was added to databases, and removed from them, since their rows were compared.
///
/// **Isolation**: the thread of the readers; within a transaction of each.
struct CopyChanges {
    /// Looking up an id takes as long as comparing so many in order.
    static let lookupCost = 8
    /// How many rows are compared until the query is asked whether it goes on.
    private static let checkedRows = 1024

    private let readers: [DatabaseReader]
    /// The last row of each database that was compared.
    private let compared: [Int64]
    /// How many rows were added to all databases.
    private var added = 0
    /// Whether rows were removed from any database.
    private var isReduced = false
    /// How many rows all databases have.
    private let count: Int

    /// Finds out what has changed; `nil` if nothing is known, or numbers have other rows now.
    init?(
        _ readers: [DatabaseReader],
        _ contents: [DatabaseContents],
        after known: [DatabaseContents]
    ) throws {
        guard known.count == contents.count else { return nil }
        self.readers = readers
        compared = known.map(\.last)
        count = contents.reduce(0) { $0 + $1.count }
        for (index, (new, old)) in zip(contents, known).enumerated() where new != old {
            guard new.last >= old.last,
                let change = try Self.change(readers[index], new, old)
            else { return nil }
            added += change.added
            isReduced = isReduced || change.isReduced
        }
    }

    /// How many rows were added to a database, and whether others were removed; `nil` if a number
    /// has another row.
    private static func change(
        _ reader: DatabaseReader,
        _ new: DatabaseContents,
        _ old: DatabaseContents
    ) throws -> (added: Int, isReduced: Bool)? {
        guard old.count > 0 else { return (new.count, false) }
        return try reader.naming {
            let id = try reader.connection.cached("SELECT id FROM exchanges WHERE seq = ?1")
            defer { id.reset() }
            try id.bind(1, integer: old.last)
            if try id.step(), id.blob(0) != old.lastID { return nil }
            let rows = try reader.connection.cached(
                "SELECT count(*) FROM exchanges WHERE seq > ?1"
            )
            defer { rows.reset() }
            try rows.bind(1, integer: old.last)
            let added = try rows.step() ? Int(clamping: rows.integer(0)) : 0
            return (added, new.first != old.first || new.count != old.count + added)
        }
    }

    /// Returns the copies that there are now; `nil` if comparing all ids takes less time.
    ///
    /// - Throws: `StoreError` if there are more than the limit; `QueryCancelled`.
    func update(
        _ known: [RowNumbers],
        _ lookupCost: Int,
        _ progress: QueryProgress?
    ) throws -> [RowNumbers]? {
        let checked = isReduced ? known.reduce(0) { $0 + $1.count } : 0
        guard (added + checked) * readers.count * lookupCost <= count else { return nil }
        var copies = known
        if isReduced {
            for index in copies.indices {
                try progress?.check()
                copies[index] = try remaining(known[index], of: index)
            }
        }
        for index in readers.indices { try compareAdded(to: index, &copies, progress) }
        guard copies.reduce(0, { $0 + $1.count }) <= CommonIDs.maxCopies else {
            throw StoreError.tooManyCopies(CommonIDs.maxCopies)
        }
        return copies
    }

    /// The rows that are still copies of rows that earlier databases have.
    private func remaining(_ copies: RowNumbers, of index: Int) throws -> RowNumbers {
        let reader = readers[index]
        var remaining = RowNumbers()
        try copies.forEach { number in
            let id = try reader.naming { () throws -> [UInt8]? in
                let query = try reader.connection.cached("SELECT id FROM exchanges WHERE seq = ?1")
                defer { query.reset() }
                try query.bind(1, integer: number)
                return try query.step() ? query.blob(0) : nil
            }
            guard let id else { return }
            let isCopy = try readers[..<index].contains { try $0.number(of: id) != nil }
            if isCopy { remaining.insert(number) }
        }
        return remaining
    }

    /// Compares the rows that were added to a database with those of the others.
    private func compareAdded(
        to index: Int,
        _ copies: inout [RowNumbers],
        _ progress: QueryProgress?
    ) throws {
        let reader = readers[index]
        try reader.naming {
            let rows = try reader.connection.prepare("SELECT seq, id FROM exchanges WHERE seq > ?1")
            defer { rows.reset() }
            try rows.bind(1, integer: compared[index])
            var count = 0
            while try rows.step() {
                count += 1
                if count % Self.checkedRows == 0 { try progress?.check() }
                let id = rows.blob(1)
                for other in readers.indices where other != index {
                    guard let number = try readers[other].number(of: id) else { continue }
                    // The row of the later database is the copy.
                    if other > index {
                        copies[other].insert(number)
                    } else {
                        copies[index].insert(rows.integer(0))
                    }
                }
            }
        }
    }
}

extension DatabaseReader {
    /// The number of the row with an id; `nil` if there is none.
    func number(of id: [UInt8]) throws -> Int64? {
        try naming {
            let query = try connection.cached("SELECT seq FROM exchanges WHERE id = ?1")
            defer { query.reset() }
            try query.bind(1, blob: id.span)
            return try query.step() ? query.integer(0) : nil
        }
    }
}
