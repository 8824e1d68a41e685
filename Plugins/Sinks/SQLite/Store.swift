// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL
internal import TaplineSystem

/// The parts of an open database, and their transactions.
final class Store {
    private let connection: SQLiteConnection
    private let path: String
    /// The status of the file when it was opened.
    private let file: FileStatus?
    private let names: Names
    let rows: ExchangeRows
    let bodies: BodyStore
    let retention: Retention
    let active: ActiveTable
    /// The last value of `PRAGMA data_version`; it changes when another connection has written.
    private var dataVersion: Int64 = 0

    init(_ settings: SQLiteSinkSettings, _ context: SinkContext) throws {
        connection = try DatabaseFile.open(settings, context.log)
        path = settings.path
        file = try FileSystem.status(of: path)
        bodies = try BodyStore(connection, settings)
        names = try Names(connection, maxTemplates: settings.pathTemplates)
        rows = try ExchangeRows(connection, bodies, names)
        retention = try Retention(settings.retention, connection, bodies)
        active = ActiveTable(connection)
        try transaction {
            try active.begin(now: context.now())
            do {
                let orphans = try bodies.removeOrphans()
                if orphans > 0 { context.log.info("removed \(orphans) body files without a row") }
            } catch let error as FileError {
                context.log.warning("cannot clean up body files: \(error)")
            }
            try retention.enforce(added: 0, now: context.now(), atOnce: true)
            if !settings.retention.isEmpty { try names.removeUnused() }
        }
    }

    /// Whether the path still names the opened file; writes to a removed file would be lost.
    var isInPlace: Bool {
        get throws {
            guard let file, let there = try FileSystem.status(of: path) else { return false }
            return there.isSameFile(as: file)
        }
    }

    /// Runs a closure within a transaction; rolls back if it throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try connection.begin(.immediate)
        bodies.begin()
        do {
            try refresh()
            try bodies.removeDeadFiles()
            let result = try body()
            try connection.commit()
            bodies.commit()
            return result
        } catch {
            connection.rollback()
            bodies.rollback()
            dataVersion = 0
            throw error
        }
    }

    /// Waits until what was written is on disk.
    func sync() throws {
        try bodies.sync()
        try connection.syncLog()
    }

    /// Reloads cached state after another process has written or a transaction was rolled back.
    private func refresh() throws {
        let query = try connection.cached("PRAGMA data_version")
        defer { query.reset() }
        let version = try query.step() ? query.integer(0) : 0
        guard version != dataVersion else { return }
        try names.reload()
        try rows.reload()
        try bodies.loadTail()
        try retention.reload()
        dataVersion = version
    }

    /// Ends the run and closes the database.
    func close(now: Timestamp) throws {
        defer { try? connection.close() }
        try transaction {
            try retention.enforce(added: 0, now: now, atOnce: true)
            try active.end(now: now)
        }
        if !bodies.deadFiles.isEmpty { try transaction {} }
        try connection.close()
    }
}
