// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineSegments
internal import TaplineSystem

/// The recordings of a replay, in the order in which they are read.
///
/// Patterns are resolved once, before the run starts: files that a sink writes into a replayed
/// folder are not read in the same run.
struct RecordingList: Sendable {
    /// One recording: a file, or databases that are read together.
    struct Recording: Sendable, Equatable {
        /// The file, or the first database; `-` is standard input.
        let path: String
        /// The number of bytes to read; `nil` for a pipe.
        var size: Int64?
        /// The databases; none if the recording is a file.
        var stores: [RecordedStore] = []

        var isStandardInput: Bool { path == "-" }
        /// The name in errors and the log.
        var name: String { isStandardInput ? "standard input" : path }
    }

    private(set) var recordings: [Recording] = []
    private let library: (any RecordedStores)?

    /// Resolves the paths; reports problems to the diagnostics.
    ///
    /// - Parameters:
    ///   - paths: Files and patterns.
    ///   - library: Reads databases; `nil` if the program cannot.
    ///   - diagnostics: Receives problems.
    init(
        _ paths: [Located<String>],
        _ library: (any RecordedStores)?,
        _ diagnostics: inout Diagnostics
    ) {
        self.library = library
        for path in paths { add(path, &diagnostics) }
    }

    /// The total size of all recordings; `nil` if one is unknown.
    var size: Int64? {
        var sum: Int64 = 0
        for recording in recordings {
            guard let size = recording.size else { return nil }
            sum = sum.addingReportingOverflow(size).partialValue
        }
        return sum
    }

    /// The first recording that cannot be read twice.
    var firstPipe: String? { recordings.first { $0.size == nil }?.path }

    private mutating func add(_ path: Located<String>, _ diagnostics: inout Diagnostics) {
        guard path.value != "-" else {
            if recordings.contains(where: \.isStandardInput) {
                diagnostics.error(
                    at: path.location,
                    "'path' contains '-' twice; standard input can be read only once"
                )
            }
            recordings.append(Recording(path: "-", size: nil))
            return
        }
        do throws(FileError) {
            // If a file with the pattern as its name exists, that file is used.
            if let status = try FileSystem.status(of: path.value) {
                if let problem = try take(path.value, status) {
                    diagnostics.error(at: path.location, problem.message, help: problem.help)
                }
            } else if path.value.utf8.contains(where: Self.isPattern) {
                try addMatches(path, &diagnostics)
            } else {
                diagnostics.error(at: path.location, "there is no file '\(path.value)'")
            }
        } catch {
            diagnostics.error(at: path.location, "\(error)")
        }
    }

    private mutating func addMatches(
        _ pattern: Located<String>,
        _ diagnostics: inout Diagnostics
    ) throws(FileError) {
        var found = 0
        for path in try FileSystem.glob(pattern.value) where try !Self.isSideFile(path) {
            guard let status = try FileSystem.status(of: path), status.kind != .folder else {
                continue
            }
            found += 1
            if let problem = try take(path, status) {
                diagnostics.error(at: pattern.location, problem.message, help: problem.help)
            }
        }
        if found == 0 {
            diagnostics.error(at: pattern.location, "no file matches '\(pattern.value)'")
        }
    }

    /// Adds an existing file, or reports what is wrong with it.
    private mutating func take(
        _ path: String,
        _ status: FileStatus
    ) throws(FileError) -> (message: String, help: String?)? {
        switch status.kind {
        case .folder:
            guard let segments = try SegmentFolder.segments(of: path) else {
                return (
                    "'\(path)' is a folder; expected a file, a pattern or the queue of a sink",
                    "write '\(path)/*' for all files in it"
                )
            }
            for segment in segments {
                let size = try FileSystem.status(of: segment)?.size ?? 0
                recordings.append(Recording(path: segment, size: Int64(size)))
            }
        case .regular:
            if let problem = try addStore(path, status) { return (problem, nil) }
        case .pipe, .device, .link, .other:
            recordings.append(Recording(path: path, size: nil))
        }
        return nil
    }

    /// Adds a regular file, which may be a database, or returns what is wrong with it.
    ///
    /// SQLite itself detects databases: closing the file here would release the locks that other
    /// connections of this process hold on it (https://sqlite.org/howtocorrupt.html section 2.2).
    private mutating func addStore(
        _ path: String,
        _ status: FileStatus
    ) throws(FileError) -> String? {
        var store: RecordedStore?
        var problem: String?
        if status.size > 0 {
            do { store = try library?.store(at: path) } catch { problem = "\(error)" }
        }
        guard let store else {
            // Opening a regular file has no side effect, but a pipe would lose its reader.
            _ = try File(path, for: .read)
            if problem == nil { recordings.append(Recording(path: path, size: Int64(status.size))) }
            return problem
        }
        guard let last = recordings.indices.last, !recordings[last].stores.isEmpty else {
            recordings.append(Recording(path: path, size: store.size, stores: [store]))
            return nil
        }
        // Databases that follow each other are read together.
        recordings[last].stores.append(store)
        recordings[last].size = recordings[last].size.map {
            $0.addingReportingOverflow(store.size).partialValue
        }
        return nil
    }

    /// Whether a file belongs to a SQLite database beside it.
    private static func isSideFile(_ path: String) throws(FileError) -> Bool {
        for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
            let database = String(path.dropLast(suffix.count))
            return try FileSystem.status(of: database)?.kind == .regular
        }
        return false
    }

    /// Whether a byte is a wildcard of a shell pattern.
    private static func isPattern(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
    }
}
