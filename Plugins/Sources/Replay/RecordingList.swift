// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineSystem

/// The recordings of a replay, in the order in which they are read.
///
/// Patterns are resolved once, before the run starts: files that a sink writes into a replayed
/// folder are not read in the same run.
struct RecordingList: Sendable {
    /// One recording.
    struct Recording: Sendable, Equatable {
        /// The file; `-` is standard input.
        let path: String
        /// The number of bytes to read; `nil` for a pipe.
        let size: Int64?

        var isStandardInput: Bool { path == "-" }
        /// The name in errors and the log.
        var name: String { isStandardInput ? "standard input" : path }
    }

    private(set) var recordings: [Recording] = []

    /// Resolves the paths; reports problems to the diagnostics.
    init(_ paths: [Located<String>], _ diagnostics: inout Diagnostics) {
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
        for path in try FileSystem.glob(pattern.value) {
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
            return (
                "'\(path)' is a folder; expected a file or a pattern",
                "write '\(path)/*' for all files in it"
            )
        case .regular:
            // Opening a regular file has no side effect, but a pipe would lose its reader.
            _ = try File(path, for: .read)
            recordings.append(Recording(path: path, size: Int64(status.size)))
        case .pipe, .device, .link, .other:
            recordings.append(Recording(path: path, size: nil))
        }
        return nil
    }

    /// Whether a byte is a wildcard of a shell pattern.
    private static func isPattern(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
    }
}
