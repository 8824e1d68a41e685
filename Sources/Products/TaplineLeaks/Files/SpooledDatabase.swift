// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// A database that a scan found.
///
/// It is either a file, or part of a stream that is copied to a private file. A file with a journal
/// or a write-ahead log that a crash left may be copied too, because opening it would change it.
final class SpooledDatabase {
    private let path: String
    private let folder: String?
    private var copy: File?
    private var failure: FileError?

    /// Makes a database to scan later.
    ///
    /// - Parameters:
    ///   - stream: The stream that contains it.
    ///   - path: The path of its file; `nil` if it is not read from a file.
    /// - Throws: `FileError` if a file for the copy cannot be created.
    init(_ stream: StreamScan, _ path: String?) throws(FileError) {
        if let path, stream.isWholeFile {
            self.path = path
            folder = nil
            return
        }
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-leaks")
        self.folder = folder
        self.path = "\(folder)/database"
        copy = try File(self.path, for: .create)
        stream.copy = { [unowned self] in write($0) }
    }

    /// Makes a database that is a file.
    init(path: String) {
        self.path = path
        folder = nil
    }

    deinit {
        if let folder { try? FileSystem.removeFolder(folder) }
    }

    private func write(_ bytes: Span<UInt8>) {
        guard failure == nil else { return }
        do { try copy?.write(bytes) } catch { failure = error }
    }

    /// Scans the content that SQLite shows.
    ///
    /// - Returns: Whether a limit prevented a part from being scanned.
    func scan(_ scanners: UnitScanners, report: (StreamHit) -> Void) throws -> Bool {
        if let failure { throw failure }
        copy = nil
        guard folder == nil else {
            return try DatabaseScan(path, .immutable).run(scanners, report: report)
        }
        let hasLog = try Self.hasContent(path + "-wal")
        let hasJournal = try Self.hasContent(path + "-journal")
        // A process that has the database open may write to its log, and move it to the database.
        let isOpen = try FileSystem.status(of: path + "-shm") != nil
        guard hasLog || hasJournal || isOpen else {
            return try DatabaseScan(path, .immutable).run(scanners, report: report)
        }
        // If the log has its index, SQLite can read while another process writes, and creates no
        // file.
        let hasIndex = try !hasJournal && Self.hasContent(path + "-shm")
        if hasIndex, let scan = try? DatabaseScan(path, .readOnly) {
            return try scan.run(scanners, report: report)
        }
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-leaks")
        defer { try? FileSystem.removeFolder(folder) }
        for suffix in ["", "-wal", "-journal"] where try Self.hasContent(path + suffix) {
            try Self.copy(path + suffix, to: "\(folder)/database\(suffix)")
        }
        return try DatabaseScan("\(folder)/database", .readWrite).run(scanners, report: report)
    }

    private static func hasContent(_ path: String) throws(FileError) -> Bool {
        try (FileSystem.status(of: path)?.size ?? 0) > 0
    }

    private static func copy(_ path: String, to target: String) throws(FileError) {
        let source = try File(path, for: .read)
        let copy = try File(target, for: .create)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            var space = buffer.mutableSpan
            let count = try source.read(into: &space)
            if count == 0 { return }
            try copy.write(buffer.span.extracting(0..<count))
        }
    }
}
