// SPDX-License-Identifier: MIT

internal import CSQLite

/// Settings of SQLite for the whole process.
package enum SQLiteLibrary {
    /// Turns off the statistics of memory, whose lock all threads take for each value.
    ///
    /// Has no effect once the process has opened a database. Only for programs, since a library must
    /// not change what other parts of an app see.
    package static func disableMemoryStatistics() { _ = tapline_disable_memory_statistics() }
}
