// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineFiles
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL

/// An open database: one transaction for each batch, undone where anything fails.
final class SQLiteSink: Sink {
    private let settings: SQLiteSinkSettings
    private let context: SinkContext
    private var store: Store?

    init(settings: SQLiteSinkSettings, context: SinkContext) throws {
        self.settings = settings
        self.context = context
        store = try naming { try Store(settings, context) }
    }

    func write(_ batch: [Record]) throws -> WriteResult {
        try transaction { store in
            var duplicates = 0
            for record in batch where try !store.rows.insert(record) { duplicates += 1 }
            try store.bodies.mergeIfDue()
            let added = batch.count - duplicates
            try store.retention.enforce(added: added, now: context.now())
            return WriteResult(duplicates: duplicates)
        }
    }

    func active(opened: [ActiveExchange], ended: [ExchangeID]) throws {
        let table = try naming { try self.opened() }.active
        guard table.note(opened: opened, ended: ended) else { return }
        try transaction { try $0.active.write() }
        table.commit()
    }

    func close() throws {
        guard let store else { return }
        self.store = nil
        try naming { try store.close(now: context.now()) }
    }

    func reopen() throws {
        let former = store?.active
        defer { if let former { store?.active.take(from: former) } }
        try close()
        store = try naming { try Store(settings, context) }
    }

    /// Runs a closure within a transaction: all of it happens, or nothing.
    private func transaction<Result>(_ body: (Store) throws -> Result) throws -> Result {
        try naming {
            let store = try opened()
            return try store.transaction { try body(store) }
        }
    }

    /// The open database; opens it where opening it anew has failed.
    private func opened() throws -> Store {
        let store = try self.store ?? Store(settings, context)
        self.store = store
        return store
    }

    /// Says what an error means for the batch.
    private func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw SinkError(error, settings.path)
        } catch let error as FileError {
            throw SinkError(.passing, error.description)
        } catch let error as CodingError {
            throw SinkError(.passing, "cannot compress a body; \(error)")
        }
    }
}

extension SinkError {
    /// What a failure of SQLite means for the batch.
    init(_ error: SQLiteError, _ path: String) {
        if error.isBusy {
            self.init(.passing, "'\(path)' is locked by another process")
        } else if error.isFull {
            self.init(.passing, "cannot write '\(path)'; no space left")
        } else if error.isCorrupt {
            self.init(
                .refused,
                "'\(path)' is damaged or no database (\(error.message)); move it away, or rescue "
                    + "what it holds with: sqlite3 '\(path)' .recover"
            )
        } else {
            self.init(.passing, "cannot write '\(path)'; \(error.message)")
        }
    }
}
