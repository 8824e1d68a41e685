// SPDX-License-Identifier: MIT

import TaplineFiles
import TaplineModel

/// One open file of records, locked: whole lines, and after a failed batch cut back to them.
final class Segment {
    /// Where it is now.
    private(set) var path: String
    private let file: File
    /// The bytes that are in it, those of a batch in progress included.
    private(set) var size: Int
    /// The bytes that stay when the batch in progress fails.
    private var committed: Int
    /// Whether bytes of a failed batch may stand after `committed`.
    private var isDirty = false

    /// Opens or makes a file, locks it and cuts off what a crash left unfinished.
    ///
    /// **Throws**: `NDJSONError`, `FileError`.
    init(_ path: String, log: (String) -> Void) throws {
        let file = try Self.openLocked(path)
        let status = try file.status()
        guard status.kind == .regular else {
            throw NDJSONError("cannot append to '\(path)'; found no ordinary file")
        }
        self.path = path
        size = try UnfinishedLine.repair(file, size: status.size, log: log)
        committed = size
        self.file = file
    }

    /// Opens a file and locks it.
    ///
    /// Between the two steps somebody may have moved the file away: then what stands at the path
    /// is opened anew.
    private static func openLocked(_ path: String) throws -> File {
        for _ in 0..<10 {
            let file = try File(path, for: .append)
            // Who looks for finished files to compress may have taken a new one for such.
            guard try file.lock(waiting: 500) else {
                throw NDJSONError("cannot append to '\(path)'; another process is writing to it")
            }
            let status = try file.status()
            if let there = try FileSystem.status(of: path), there.isSameFile(as: status) {
                return file
            }
        }
        throw NDJSONError("cannot append to '\(path)'; it is moved away again and again")
    }

    /// Takes notice of what others did to the file since the last batch, lock or no lock.
    ///
    /// Who empties a file that is written to (logrotate's `copytruncate`) expects it to go on from
    /// its beginning.
    /// **Shape**: false where it was removed, so that what is written would be lost.
    func refresh(log: (String) -> Void) throws(FileError) -> Bool {
        let status = try file.status()
        if status.size != committed {
            log(
                "'\(path)' was changed by somebody else; it had \(committed) bytes, now it has "
                    + "\(status.size)"
            )
            size = status.size
            committed = status.size
        }
        return !status.isRemoved
    }

    /// Whether what stands at the path is this file still.
    var isInPlace: Bool {
        get throws(FileError) {
            guard let there = try FileSystem.status(of: path) else { return false }
            return there.isSameFile(as: try file.status())
        }
    }

    func append(_ lines: Span<UInt8>) throws(FileError) {
        guard !lines.isEmpty else { return }
        isDirty = true
        var written = 0
        defer { size += written }
        try file.write(lines, from: &written)
    }

    /// Takes the batch's bytes as those that stay.
    func commit() {
        committed = size
        isDirty = false
    }

    /// Cuts the file back to what it was before the batch.
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

    /// Lets others write to it.
    func unlock() { file.unlock() }

    /// Waits until all is on the disk.
    func sync() throws(FileError) { try file.syncData() }

    /// When the last bytes were written; `nil` if there are none.
    var lastWritten: Timestamp? {
        get throws(FileError) {
            size > 0 ? Timestamp(microseconds: try file.status().modified) : nil
        }
    }
}

/// Why a file cannot be written to; for people, with what to do.
struct NDJSONError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
