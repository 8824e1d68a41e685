// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

extension StoreEditor {
    /// What compacting has changed.
    package struct Compaction: Sendable {
        /// The size of the database and its log before, in bytes.
        package let before: Int
        /// The size of the database and its log afterwards, in bytes.
        package let after: Int
        /// Whether the log is empty; it is not while another process reads.
        package let isLogEmpty: Bool
    }

    /// Rewrites the database without free pages, and empties its log.
    ///
    /// Takes as much space again while it runs. Writers wait. The schema is not upgraded.
    ///
    /// - Returns: The sizes.
    /// - Throws: `StoreError` if the database cannot be written, for example as another process
    ///   writes to it for longer than five seconds.
    package func compact() throws -> Compaction {
        let before = size
        let isLogEmpty = try StoreError.writing(path) {
            try connection.execute("VACUUM")
            return try connection.checkpoint(truncating: true)
        }
        return Compaction(before: before, after: size, isLogEmpty: isLogEmpty)
    }

    /// The size of the database and its log, in bytes.
    private var size: Int {
        [path, path + "-wal"].reduce(0) { sum, path in
            sum.addingClamped((try? FileSystem.status(of: path))?.size ?? 0)
        }
    }
}
