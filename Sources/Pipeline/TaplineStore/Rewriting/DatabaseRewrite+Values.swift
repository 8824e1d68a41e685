// SPDX-License-Identifier: MIT

internal import TaplineSQL
internal import TaplineSystem

extension DatabaseRewrite {
    /// Returns what an erasure of values would remove, as far as SQLite shows it.
    ///
    /// While another program writes, each thread may count in another state of the database.
    func preview(_ makeEraser: @escaping MakeContentEraser) throws -> ErasureReport {
        let readers = ValueErasure.Readers { [path] in
            try SQLiteConnection.forReading(path) { try DatabaseReader.open(path, $0) }
        }
        return try naming {
            try connection.transaction(.deferred) {
                let erasure = try ValueErasure(connection, path, makeEraser, readers, changing: nil)
                try erasure.run()
                return erasure.report
            }
        }
    }

    /// Removes values from everything that the database stores; requires exclusive access.
    func erase(_ makeEraser: @escaping MakeContentEraser) throws -> ErasureReport {
        let textIndex = try dropTextIndex()
        // The file itself has everything then, and does not change before the end of the
        // transaction.
        try finish()
        let readers = try readersOfFile()
        var report = ErasureReport()
        try change { bodies in
            let freePages = try connection.integer("PRAGMA freelist_count") ?? 0
            let erasure = try ValueErasure(
                connection,
                path,
                makeEraser,
                readers,
                changing: bodies
            )
            try erasure.run()
            report = erasure.report
            report.setFreePages(freePages)
        }
        if let textIndex { report.dropped(index: textIndex) }
        try finish()
        return report
    }

    /// Opens connections that read the file without locks and without its log, to which this one
    /// writes; requires exclusive access.
    ///
    /// With a rollback journal, a large transaction writes to the file before its end
    /// (https://sqlite.org/atomiccommit.html section 4.1), so nobody else can read.
    private func readersOfFile() throws -> ValueErasure.Readers {
        let hasLog = try naming { try connection.pragma("journal_mode") == "wal" }
        return ValueErasure.Readers(threads: hasLog ? Processors.available : 1) { [path] in
            try DatabaseReader.open(path, .immutable)
        }
    }
}
