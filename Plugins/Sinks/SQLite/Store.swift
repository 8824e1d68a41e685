// SPDX-License-Identifier: MIT

internal import TaplineFiles
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSQL

/// The parts of an open database, and the transactions that they share.
final class Store {
    private let connection: SQLiteConnection
    private let path: String
    /// The file as it was when it was opened.
    private let file: FileStatus?
    private let names: Names
    let rows: ExchangeRows
    let bodies: BodyStore
    let retention: Retention
    let active: ActiveTable
    /// What `PRAGMA data_version` said last: it changes when another connection has written.
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
                context.log.warning("cannot tidy up body files: \(error)")
            }
            try retention.enforce(added: 0, now: context.now(), atOnce: true)
            if !settings.retention.isEmpty { try names.removeUnused() }
        }
    }

    /// Whether the file is the one that stands at the path still; what is written to another is lost.
    var isInPlace: Bool {
        get throws {
            guard let file, let there = try FileSystem.status(of: path) else { return false }
            return there.isSameFile(as: file)
        }
    }

    /// Runs a closure within a transaction: all of it happens, or nothing.
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

    /// Reads again what is kept in memory, after another process has written or a transaction was
    /// undone.
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
