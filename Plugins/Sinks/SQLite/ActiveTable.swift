// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL

/// The exchanges that have begun and not ended.
///
/// What is left of an earlier run is what a crash
/// interrupted.
final class ActiveTable {
    /// How many interrupted exchanges are kept.
    static let lostMax = 10_000

    private let connection: SQLiteConnection
    private var run: Int64 = 0
    private var known: [ExchangeID: ActiveExchange] = [:]
    /// What could not be written yet.
    private var pending: (opened: [ActiveExchange], ended: [ExchangeID]) = ([], [])

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Takes over what has not ended, from the table of a file that was closed.
    ///
    /// It may be this file, which has rows of them from the former run: they are written anew, and what
    /// ends is removed, whether it was written by then or not.
    func take(from former: ActiveTable) {
        known = former.known
        pending.opened = Array(former.known.values) + former.pending.opened
        pending.ended = former.pending.ended
        let gone = Set(former.pending.ended)
        pending.opened.removeAll { gone.contains($0.id) }
    }

    /// Begins a run; within a transaction.
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

    /// Ends the run; within a transaction.
    func end(now: Timestamp) throws {
        let note = try connection.cached("UPDATE runs SET closed = ?1 WHERE id = ?2")
        try note.bind(1, integer: now.microseconds)
        try note.bind(2, integer: run)
        try note.run()
    }

    /// Takes note of what has begun and what has ended; returns whether there is anything to write.
    func note(opened: [ActiveExchange], ended: [ExchangeID]) -> Bool {
        let gone = Set(ended)
        pending.opened.removeAll { gone.contains($0.id) }
        pending.opened += opened.lazy.filter { !gone.contains($0.id) }
        pending.ended += ended.lazy.filter { [known] in known[$0] != nil }
        return !pending.opened.isEmpty || !pending.ended.isEmpty
    }

    /// Writes what was noted; within a transaction.
    func write() throws {
        for exchange in pending.opened { try insert(exchange) }
        let delete = try connection.cached("DELETE FROM active WHERE id = ?1")
        for id in pending.ended {
            let bytes = id.blob
            try delete.bind(1, blob: bytes.span)
            try delete.run()
        }
    }

    /// What was noted is committed.
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
        let id = exchange.id.blob
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

extension ExchangeID {
    /// The 16 bytes of the id.
    var blob: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        appendBlob(to: &bytes)
        return bytes
    }
}
