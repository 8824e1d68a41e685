// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// Reads the ids of several databases in order, and finds those that more than one has.
///
/// Ids are read from the index, and parts that only one database has are skipped: ids begin with the
/// time, so that databases of different times are not read at all.
///
/// **Limits**: 8 bytes for each copy, 256 MiB in all.
/// **Isolation**: the thread of the readers; within a transaction of each.
struct CommonIDs {
    /// How many copies are noted.
    static let maxCopies = 32 << 20
    /// After how many ids in sequence that no other database has the next common part is searched.
    private static let fewIDs = 16
    /// How many ids are read until the query is asked whether it goes on.
    private static let checkedIDs = 512

    /// The next id of a database.
    private struct Cursor {
        let rows: SQLiteStatement
        private let path: String
        var id = ExchangeID(high: 0, low: 0)
        var number: Int64 = 0
        var isOver = false

        init(_ reader: DatabaseReader) throws {
            path = reader.path
            rows = try reader.naming {
                try reader.connection.prepare(
                    "SELECT id, seq FROM exchanges WHERE id >= ?1 ORDER BY id"
                )
            }
            try seek(id)
        }

        /// Goes to the first id that is not before another one.
        mutating func seek(_ id: ExchangeID) throws(StoreError) {
            rows.reset()
            let bytes = id.bytes
            do throws(SQLiteError) {
                try rows.bind(1, blob: bytes.span)
            } catch {
                throw StoreError(error, path)
            }
            try next()
        }

        mutating func next() throws(StoreError) {
            do throws(SQLiteError) {
                while try rows.step() {
                    // Ids of another length are those of no exchange.
                    guard let id = rows.withBlob(0, { ExchangeID(bytes: $0) }) else { continue }
                    self.id = id
                    number = rows.integer(1)
                    return
                }
            } catch {
                throw StoreError(error, path)
            }
            isOver = true
        }
    }

    private var cursors: [Cursor]
    private let maxCopies: Int
    private var copies: [[Int64]]
    private var count = 0
    /// How many ids were read.
    private(set) var steps = 0

    init(_ readers: [DatabaseReader], maxCopies: Int = Self.maxCopies) throws {
        cursors = try readers.map { try Cursor($0) }
        copies = readers.map { _ in [] }
        self.maxCopies = maxCopies
    }

    /// Returns, for each database, the rows whose ids an earlier one has.
    ///
    /// - Throws: `StoreError` if there are more than the limit; `QueryCancelled`.
    mutating func find(_ progress: QueryProgress?) throws -> [RowNumbers] {
        defer { for cursor in cursors { cursor.rows.reset() } }
        var alone = 0
        while let (first, other) = nextTwo() {
            steps += 1
            if steps % Self.checkedIDs == 0 { try progress?.check() }
            if cursors[first].id == cursors[other].id {
                alone = 0
                try takeCopies(of: cursors[first].id, after: first)
                try cursors[first].next()
            } else if alone < Self.fewIDs {
                alone += 1
                try cursors[first].next()
            } else {
                alone = 0
                try cursors[first].seek(cursors[other].id)
            }
        }
        return copies.map { RowNumbers($0) }
    }

    /// The databases with the first and the second id in order, of equal ones those that come first;
    /// `nil` if at most one database has further ids.
    private func nextTwo() -> (Int, Int)? {
        var first: Int?
        var second: Int?
        for index in cursors.indices where !cursors[index].isOver {
            let id = cursors[index].id
            guard let current = first else {
                first = index
                continue
            }
            if id < cursors[current].id {
                second = current
                first = index
            } else if second.map({ id < cursors[$0].id }) ?? true {
                second = index
            }
        }
        guard let first, let second else { return nil }
        return (first, second)
    }

    /// Notes the rows of later databases with an id, and goes on after them.
    private mutating func takeCopies(of id: ExchangeID, after first: Int) throws {
        for index in cursors.indices where index > first {
            guard !cursors[index].isOver, cursors[index].id == id else { continue }
            count += 1
            guard count <= maxCopies else { throw StoreError.tooManyCopies(maxCopies) }
            copies[index].append(cursors[index].number)
            try cursors[index].next()
        }
    }
}

extension StoreError {
    static func tooManyCopies(_ limit: Int) -> StoreError {
        StoreError(
            .tooManyCopies,
            "the databases have more than \(limit) exchanges in common, too many to count each "
                + "once; '--each-copy' counts each copy"
        )
    }
}
