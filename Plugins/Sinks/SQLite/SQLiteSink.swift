// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL
internal import TaplineSystem

/// An open database: writes each batch as one transaction and rolls back on any error.
final class SQLiteSink: Sink {
    private let settings: SQLiteSinkSettings
    private let context: SinkContext
    private var store: Store?
    /// The unfinished exchanges of a database that was closed.
    private var unfinished: ActiveTable?

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
        let written = try transaction { store in
            try store.active.write()
            return store.active
        }
        written.commit()
    }

    func sync() throws {
        guard settings.sync == .none, let store else { return }
        try naming { try store.sync() }
    }

    func close() throws {
        guard let store else { return }
        self.store = nil
        try naming { try store.close(now: context.now()) }
    }

    func reopen() throws {
        unfinished = store?.active ?? unfinished
        try close()
        _ = try naming { try opened() }
        // If this fails, the next begin or end of an exchange writes it.
        let written = try? transaction { store in
            try store.active.write()
            return store.active
        }
        written?.commit()
    }

    /// Runs a closure within a transaction.
    ///
    /// If the file was removed in the meantime, the closure runs again on a new database.
    private func transaction<Result>(_ body: (Store) throws -> Result) throws -> Result {
        try naming {
            for _ in 0..<3 {
                let store = try opened()
                let result = try store.transaction { try body(store) }
                if try store.isInPlace { return result }
            }
            throw SinkError(.passing, "'\(settings.path)' keeps being removed")
        }
    }

    /// Returns the open database; opens a new one if its file was removed or replaced.
    private func opened() throws -> Store {
        if let store, try !store.isInPlace {
            // Logged once, even if opening a new database fails repeatedly.
            context.log.warning("'\(settings.path)' was removed; starting a new file")
            unfinished = store.active
            self.store = nil
            // The old file is unreachable; its side files must be gone before new ones take their
            // names.
            try? store.close(now: context.now())
        }
        if let store { return store }
        do {
            let store = try Store(settings, context)
            if let unfinished { store.active.take(from: unfinished) }
            unfinished = nil
            self.store = store
            return store
        } catch let error as SinkError {
            // An error that would prevent a start may be temporary during a run: no record is lost.
            throw SinkError(.passing, error.message)
        }
    }

    /// Converts errors to those that state what to do with the batch.
    private func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw SinkError(error, settings.path)
        } catch let error as FileError {
            throw SinkError(.passing, error.description)
        } catch let error as CodingError {
            throw SinkError(.refused, "cannot compress a body; \(error)")
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
                .passing,
                "'\(path)' is damaged or not a database (\(error.message)); move it away, or "
                    + "recover its content with: sqlite3 '\(path)' .recover"
            )
        } else if error.isTooBig || error.isConstraint {
            self.init(.refused, "cannot store the record in '\(path)'; \(error.message)")
        } else if error.systemCode != 0 {
            let reason = FileError("write", path, code: error.systemCode).reason
            self.init(.passing, "cannot write '\(path)'; \(reason) (\(error.message))")
        } else {
            self.init(.passing, "cannot write '\(path)'; \(error.message)")
        }
    }
}
