// SPDX-License-Identifier: MIT

package import TaplineQuery
internal import TaplineSystem

/// Removes exchanges, or values, from a store: a database with its body files and its log, or a
/// recording in NDJSON.
///
/// **Isolation**: one thread at a time; between calls, the store is closed.
package struct StoreErasure {
    /// What is removed.
    package enum Target {
        /// The exchanges that match a filter.
        case exchanges(Filter)
        /// Values, wherever they are; the closure makes what removes them, for each thread.
        case values(MakeContentEraser)
    }

    private let path: String
    private let target: Target
    /// Whether the store is a database.
    package let isDatabase: Bool
    /// The file that replaces a recording when it is complete.
    package let temporary: String

    /// Creates an erasure; nothing is changed yet.
    ///
    /// - Parameters:
    ///   - path: The file of the store.
    ///   - target: What is removed.
    /// - Throws: `StoreError` if the store cannot be read.
    package init(_ path: String, _ target: Target) throws(StoreError) {
        self.path = path
        self.target = target
        temporary = FileSystem.temporaryName(for: path)
        isDatabase = if path == "-" { false } else { try Store.database(path) != nil }
    }

    /// Counts what would be removed.
    ///
    /// - Returns: The counts; of a database, without remains in free pages and in the log.
    /// - Throws: `StoreError` if the store cannot be read.
    package func preview() throws -> ErasureReport {
        switch (target, isDatabase) {
        case (.exchanges(let filter), true):
            try DatabaseRewrite(path, .readOnly).preview(filter)
        case (.values(let make), true): try DatabaseRewrite(path, .readOnly).preview(make)
        case (.exchanges(let filter), false):
            try RecordingRewrite(path, temporary: temporary).erase(filter, isPreview: true)
        case (.values(let make), false):
            try RecordingRewrite(path, temporary: temporary).erase(make, isPreview: true)
        }
    }

    /// Removes everything in one step: after an error, the store is as before.
    ///
    /// - Parameter beforeCommit: Called before the change takes effect; until then, the store has
    ///   everything that it had.
    /// - Returns: What was removed.
    /// - Throws: `StoreError`; for a database also if others have it open.
    package func run(beforeCommit: @escaping () -> Void = {}) throws -> ErasureReport {
        guard isDatabase else {
            var recording = RecordingRewrite(path, temporary: temporary)
            recording.beforeCommit = beforeCommit
            return switch target {
            case .exchanges(let filter): try recording.erase(filter, isPreview: false)
            case .values(let make): try recording.erase(make, isPreview: false)
            }
        }
        let database = try DatabaseRewrite(path, .exclusive)
        database.beforeCommit = beforeCommit
        return switch target {
        case .exchanges(let filter): try database.erase(filter)
        case .values(let make): try database.erase(make)
        }
    }

    /// Writes a database anew, since its free space still has what was removed earlier; does
    /// nothing for a recording.
    ///
    /// - Throws: `StoreError` if others have it open, or there is no space.
    package func vacuum() throws {
        guard isDatabase else { return }
        try DatabaseRewrite(path, .exclusive).vacuum()
    }
}
