// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem

/// One open, locked file of complete lines; a failed batch is truncated away.
final class Segment {
    /// The current path.
    private(set) var path: String
    private let file: File
    /// The size in bytes, including the current batch.
    private(set) var size: Int
    /// The size in bytes to return to if the current batch fails.
    private var committed: Int
    /// Whether bytes of a failed batch may follow `committed`.
    private var isDirty = false
    /// Whether everything that this program has written is on disk.
    private(set) var isSynced = true

    /// Opens or creates a file, locks it and removes an unfinished line that a crash left.
    ///
    /// **Throws**: `NDJSONError`, `FileError`.
    init(_ path: String, log: (String) -> Void) throws {
        let file = try Self.openLocked(path)
        let status = try file.status()
        guard status.kind == .regular else {
            throw NDJSONError("cannot append to '\(path)'; it is not a regular file")
        }
        self.path = path
        size = try UnfinishedLine.repair(file, size: status.size, log: log)
        committed = size
        self.file = file
    }

    /// Opens a file and locks it.
    ///
    /// Another process may move the file away between the two steps; then the path is opened again.
    private static func openLocked(_ path: String) throws -> File {
        for _ in 0..<10 {
            let file = try File(path, for: .append)
            // The archive may briefly lock a new file, mistaking it for a finished one.
            guard try file.lock(waiting: 500) else {
                throw NDJSONError("cannot append to '\(path)'; another process is writing to it")
            }
            let status = try file.status()
            if let there = try FileSystem.status(of: path), there.isSameFile(as: status) {
                return file
            }
        }
        throw NDJSONError("cannot append to '\(path)'; it keeps being moved away")
    }

    /// Detects what other processes did to the file since the last batch; they may ignore the lock.
    ///
    /// A process that truncates the file (logrotate's `copytruncate`) expects writing to continue
    /// from the start.
    ///
    /// **Returns**: `false` if the file was removed, so that further writes would be lost.
    func refresh(log: (String) -> Void) throws(FileError) -> Bool {
        let status = try file.status()
        if status.size != committed {
            log(
                "'\(path)' was changed by another program; it had \(committed) bytes, now it has "
                    + "\(status.size)"
            )
            size = status.size
            committed = status.size
        }
        return !status.isRemoved
    }

    /// Whether the path still names this file.
    var isInPlace: Bool {
        get throws(FileError) {
            guard let there = try FileSystem.status(of: path) else { return false }
            return there.isSameFile(as: try file.status())
        }
    }

    func append(_ lines: Span<UInt8>) throws(FileError) {
        guard !lines.isEmpty else { return }
        isDirty = true
        isSynced = false
        var written = 0
        defer { size += written }
        try file.write(lines, from: &written)
    }

    /// Makes the bytes of the batch permanent.
    func commit() {
        committed = size
        isDirty = false
    }

    /// Truncates the file to its size before the batch.
    func revert() throws(FileError) {
        guard isDirty else { return }
        try file.truncate(to: committed)
        size = committed
        isDirty = false
    }

    /// Moves the file; it stays open.
    func move(to target: String) throws(FileError) {
        try FileSystem.move(path, to: target)
        path = target
    }

    /// Releases the lock.
    func unlock() { file.unlock() }

    /// Waits until all bytes are on disk.
    func sync() throws(FileError) {
        guard !isSynced else { return }
        try file.syncData()
        isSynced = true
    }

    /// When the last bytes were written; `nil` if the file is empty.
    var lastWritten: Timestamp? {
        get throws(FileError) {
            size > 0 ? Timestamp(microseconds: try file.status().modified) : nil
        }
    }
}

/// Why a file cannot be written, with a remedy for the user.
struct NDJSONError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
