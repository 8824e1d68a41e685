// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL

/// The exchanges that have begun but not ended.
///
/// Rows that remain from an earlier run are exchanges that a crash interrupted.
final class ActiveTable {
    /// How many interrupted exchanges are kept.
    static let lostMax = 10_000

    private let connection: SQLiteConnection
    private var run: Int64 = 0
    private var known: [ExchangeID: ActiveExchange] = [:]
    /// Changes that have not been written yet.
    private var pending: (opened: [ActiveExchange], ended: [ExchangeID]) = ([], [])

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Takes over the unfinished exchanges of a table whose file was closed.
    ///
    /// Both may be the same file, with rows from the earlier run. These are written again, and
    /// removed when their exchange ends, whether or not it had been written by then.
    func take(from former: ActiveTable) {
        known = former.known
        pending.opened = Array(former.known.values) + former.pending.opened
        pending.ended = former.pending.ended
        let gone = Set(former.pending.ended)
        pending.opened.removeAll { gone.contains($0.id) }
    }

    /// Begins a run; requires a transaction.
    func begin(now: Timestamp) throws {
        let insert = try connection.cached("INSERT INTO runs (opened) VALUES (?1)")
        try insert.bind(1, integer: now.microseconds)
        try insert.run()
        run = connection.lastInsertRowID
        let trim = try connection.cached(
            """
            DELETE FROM active WHERE run < ?1
              AND id <= (SELECT id FROM active WHERE run < ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """
        )
        try trim.bind(1, integer: run)
        try trim.bind(2, integer: Int64(ActiveTable.lostMax))
        try trim.run()
    }

    /// Ends the run; requires a transaction.
    func end(now: Timestamp) throws {
        let note = try connection.cached("UPDATE runs SET closed = ?1 WHERE id = ?2")
        try note.bind(1, integer: now.microseconds)
        try note.bind(2, integer: run)
        try note.run()
    }

    /// Queues exchanges that have begun or ended; returns whether there is anything to write.
    func note(opened: [ActiveExchange], ended: [ExchangeID]) -> Bool {
        let gone = Set(ended)
        pending.opened.removeAll { gone.contains($0.id) }
        pending.opened += opened.lazy.filter { !gone.contains($0.id) }
        pending.ended += ended.lazy.filter { [known] in known[$0] != nil }
        return !pending.opened.isEmpty || !pending.ended.isEmpty
    }

    /// Writes the queued changes; requires a transaction.
    func write() throws {
        for exchange in pending.opened { try insert(exchange) }
        let delete = try connection.cached("DELETE FROM active WHERE id = ?1")
        for id in pending.ended {
            let bytes = id.bytes
            try delete.bind(1, blob: bytes.span)
            try delete.run()
        }
    }

    /// Clears the queued changes after their transaction has been committed.
    func commit() {
        for exchange in pending.opened { known[exchange.id] = exchange }
        for id in pending.ended { known[id] = nil }
        pending = ([], [])
    }

    private func insert(_ exchange: ActiveExchange) throws {
        let insert = try connection.cached(
            "INSERT OR REPLACE INTO active VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        )
        defer { insert.reset() }
        let id = exchange.id.bytes
        try insert.bind(1, blob: id.span)
        try insert.bind(2, integer: run)
        try insert.bind(3, text: exchange.source)
        try insert.bind(4, integer: exchange.started.microseconds)
        try insert.bind(5, bytes: exchange.method.span)
        try insert.bind(6, bytes: exchange.scheme.span)
        try insert.bind(7, bytes: exchange.host.span)
        try insert.bind(8, optional: exchange.port)
        try insert.run()
    }
}
