// SPDX-License-Identifier: MIT

internal import TaplineSQL

extension DatabaseRewrite {
    /// Returns what an erasure of values would remove, as far as SQLite shows it.
    func preview(_ eraser: any ContentEraser) throws -> ErasureReport {
        try naming {
            try connection.transaction(.deferred) {
                let erasure = try ValueErasure(connection, path, eraser, changing: nil)
                try erasure.run()
                return erasure.report
            }
        }
    }

    /// Removes values from everything that the database stores; requires exclusive access.
    func erase(_ eraser: any ContentEraser) throws -> ErasureReport {
        let textIndex = try dropTextIndex()
        var report = ErasureReport()
        try change { bodies in
            let freePages = try connection.integer("PRAGMA freelist_count") ?? 0
            let erasure = try ValueErasure(connection, path, eraser, changing: bodies)
            try erasure.run()
            report = erasure.report
            report.setFreePages(freePages)
        }
        if let textIndex { report.dropped(index: textIndex) }
        try finish()
        return report
    }
}
