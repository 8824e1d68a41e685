// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineSegments
internal import TaplineSystem

/// The files that a name of the command line stands for.
package enum StoreFiles {
    /// Returns the files of a name, sorted by their bytes.
    ///
    /// - Parameter name: A file, a folder, a pattern such as `traffic-*.ndjson`, or `-` for
    ///   standard input. If a file with the pattern as its name exists, that file is meant.
    /// - Returns: The file itself, the files in the folder that are stores by their content, or the
    ///   files that match the pattern.
    /// - Throws: `StoreError` if there are none, or if a folder cannot be read.
    package static func resolve(_ name: String) throws(StoreError) -> [String] {
        if name == "-" { return [name] }
        do throws(FileError) {
            guard let status = try FileSystem.status(of: name) else { return try matches(of: name) }
            guard status.kind == .folder else { return [name] }
            return try files(in: name)
        } catch {
            throw StoreError(.system, error.description)
        }
    }

    /// Returns whether a name has a wildcard of a shell pattern.
    package static func isPattern(_ name: String) -> Bool {
        name.utf8.contains { byte in
            byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
        }
    }

    /// Returns whether a folder is a queue on disk without a record, which is an empty store.
    static func isEmptyQueue(_ name: String) -> Bool {
        (try? SegmentFolder.segments(of: name)) == []
    }

    private static func matches(of name: String) throws(FileError) -> [String] {
        guard isPattern(name) else { return [] }
        var paths: [String] = []
        for path in try FileSystem.glob(name) where !isSideFile(path) {
            if let status = try FileSystem.status(of: path), status.kind != .folder {
                paths.append(path)
            }
        }
        return paths
    }

    private static func files(in folder: String) throws(FileError) -> [String] {
        var paths: [String] = []
        for name in try FileSystem.names(in: folder) where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            guard !isSideFile(path), let status = try FileSystem.status(of: path),
                status.kind == .regular, status.size > 0, try isStore(path)
            else { continue }
            paths.append(path)
        }
        return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a file belongs to a SQLite database.
    private static func isSideFile(_ path: String) -> Bool {
        ["-wal", "-shm", "-journal", "-index"].contains { path.hasSuffix($0) }
    }

    /// Whether a file is a store by its content; errors are reported when it is opened.
    private static func isStore(_ path: String) throws(FileError) -> Bool {
        do throws(StoreError) {
            if try DatabaseStore(path, warn: { _ in }) != nil { return true }
        } catch {
            return error.code != .foreign
        }
        let file = try File(path, for: .read)
        var head: [UInt8] = []
        while head.count < RecordingProbe.headBytes {
            let rest = RecordingProbe.headBytes - head.count
            if try file.read(appendingTo: &head, atMost: rest) == 0 { break }
        }
        return RecordingProbe.mayBeRecording(head.span)
    }
}
