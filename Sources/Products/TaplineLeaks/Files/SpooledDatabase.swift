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

    deinit {
        if let folder { try? FileSystem.removeFolder(folder) }
    }

    private func write(_ bytes: Span<UInt8>) {
        guard failure == nil else { return }
        do { try copy?.write(bytes) } catch { failure = error }
    }

    /// Scans the content that SQLite shows.
    func scan(_ scanner: UnitScanner, report: @escaping (StreamHit) -> Void) throws {
        if let failure { throw failure }
        copy = nil
        var scan = DatabaseScan(scanner, report: report)
        guard folder == nil else { return try scan.run(path, .immutable) }
        let hasLog = try Self.hasContent(path + "-wal")
        let hasJournal = try Self.hasContent(path + "-journal")
        guard hasLog || hasJournal else { return try scan.run(path, .immutable) }
        // If the log has its index, SQLite can read while another process writes, and creates no
        // file.
        let hasIndex = try !hasJournal && Self.hasContent(path + "-shm")
        if hasIndex, (try? scan.open(path, .readOnly)) != nil { return try scan.runOpened() }
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-leaks")
        defer { try? FileSystem.removeFolder(folder) }
        for suffix in ["", "-wal", "-journal"] where try Self.hasContent(path + suffix) {
            try Self.copy(path + suffix, to: "\(folder)/database\(suffix)")
        }
        try scan.run("\(folder)/database", .readWrite)
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
