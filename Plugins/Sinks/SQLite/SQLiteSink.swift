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
    /// What has not ended, of a database that was left.
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

    func close() throws {
        guard let store else { return }
        self.store = nil
        try naming { try store.close(now: context.now()) }
    }

    func reopen() throws {
        unfinished = store?.active ?? unfinished
        try close()
        _ = try naming { try opened() }
        // If this fails it is written with what begins or ends next.
        let written = try? transaction { store in
            try store.active.write()
            return store.active
        }
        written?.commit()
    }

    /// Runs a closure within a transaction: all of it happens, or nothing.
    ///
    /// It runs again, on a new database, if the file was removed meanwhile and what it wrote with it.
    private func transaction<Result>(_ body: (Store) throws -> Result) throws -> Result {
        try naming {
            for _ in 0..<3 {
                let store = try opened()
                let result = try store.transaction { try body(store) }
                if try store.isInPlace { return result }
            }
            throw SinkError(.passing, "'\(settings.path)' is removed again and again")
        }
    }

    /// The open database; a new one if its file was removed or another stands in its place.
    private func opened() throws -> Store {
        if let store, try !store.isInPlace {
            // Said once, however often a new one cannot be opened.
            context.log.warning("'\(settings.path)' was removed; a new one begins")
            unfinished = store.active
            self.store = nil
            // Nobody can read what it holds; its own files must be gone before others get their names.
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
            // What keeps a run from starting may pass while it runs: no record is lost for it.
            throw SinkError(.passing, error.message)
        }
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
                "'\(path)' is damaged or no database (\(error.message)); move it away, or rescue "
                    + "what it holds with: sqlite3 '\(path)' .recover"
            )
        } else if error.isTooBig || error.isConstraint {
            self.init(.refused, "cannot store it in '\(path)'; \(error.message)")
        } else {
            self.init(.passing, "cannot write '\(path)'; \(error.message)")
        }
    }
}
