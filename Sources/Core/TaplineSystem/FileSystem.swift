// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Operations on paths of the file system.
package enum FileSystem {
    /// The status of the file at a path; `nil` if there is none.
    ///
    /// **Throws**: `FileError` for any other reason, such as insufficient permissions.
    package static func status(
        of path: String,
        followingLinks: Bool = true
    ) throws(FileError) -> FileStatus? {
        var status = stat()
        guard unsafe (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError.last("inspect", path)
        }
        return FileStatus(status)
    }

    /// What a file or a folder is needed for.
    package enum Use: Sendable {
        case read
        case write
    }

    /// Checks whether this process may read or write a file or folder, without opening it (access(2)).
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - use: What it is needed for.
    /// - Throws: `FileError` if it may not, or if there is no such file.
    package static func check(_ path: String, for use: Use) throws(FileError) {
        guard unsafe access(path, use == .read ? R_OK : W_OK) == 0 else {
            throw FileError.last(use == .read ? "read" : "write", path)
        }
    }

    /// Moves a file atomically within a file system (rename(2)).
    package static func move(_ path: String, to target: String) throws(FileError) {
        guard unsafe rename(path, target) == 0 else { throw FileError.last("move", path) }
    }

    /// Removes a file; succeeds if there is none.
    package static func remove(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw FileError.last("remove", path)
        }
    }

    /// Creates a folder that only its owner may use (mkdir(2), 0700); an existing one is kept.
    package static func makeFolder(_ path: String) throws(FileError) {
        try makeFolder(path, mode: 0o700)
    }

    /// Creates a folder whose users the umask decides (umask(2)); an existing one is kept.
    package static func makeSharedFolder(_ path: String) throws(FileError) {
        try makeFolder(path, mode: 0o777)
    }

    private static func makeFolder(_ path: String, mode: mode_t) throws(FileError) {
        guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else {
            throw FileError.last("create folder", path)
        }
    }

    /// Waits until changes to a folder's entries are on disk.
    package static func syncFolder(_ path: String) throws(FileError) {
        try File(path, for: .read).syncData()
    }

    /// Waits until a file's bytes, written by any process, are on disk (fdatasync(2)).
    package static func syncFile(_ path: String) throws(FileError) {
        try File(path, for: .read).syncData()
    }

    /// Waits until everything that this machine has written is on disk (sync(2)).
    package static func syncAll() { sync() }

    /// The names in a folder, unsorted, without `.` and `..`.
    package static func names(in folder: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw FileError.last("list", folder) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw FileError.last("list", folder) }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// The paths that match a shell pattern (`*`, `?`, `[a-z]`), sorted by their bytes.
    ///
    /// **Source**: glob(3). Returns an empty array if nothing matches.
    /// **Throws**: `FileError` if a folder cannot be read.
    package static func glob(_ pattern: String) throws(FileError) -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        let result = unsafe Glibc.glob(pattern, GLOB_ERR | GLOB_NOSORT, nil, &found)
        switch result {
        case 0: break
        case Int32(GLOB_NOMATCH): return []
        case Int32(GLOB_NOSPACE): throw FileError("list", pattern, code: ENOMEM)
        default: throw FileError("list", pattern, code: errno == 0 ? EIO : errno)
        }
        var paths: [String] = []
        for index in 0..<Int(unsafe found.gl_pathc) {
            if let path = unsafe found.gl_pathv?[index] {
                paths.append(unsafe String(cString: path))
            }
        }
        return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The folder part of a path; `.` if it has none.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        let folder = path[..<slash]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// The absolute form of a path; `.` and `..` are kept.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(here) }
        let folder = unsafe String(cString: here)
        return folder == "/" ? "/\(path)" : "\(folder)/\(path)"
    }

    /// The absolute path of an existing file, without links, `.` and `..` (realpath(3)); `nil` if
    /// there is none.
    package static func resolved(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The name part of a path: the text after the last slash.
    package static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// A new name next to a file, for another one that replaces it when it is complete.
    package static func temporaryName(for path: String) -> String {
        "\(path).\(UInt32.random(in: 0 ... .max)).tmp"
    }

    /// Whether a path has a name that `temporaryName` may have made for a file.
    package static func isTemporaryName(_ path: String, for file: String) -> Bool {
        path.hasPrefix("\(file).") && path.hasSuffix(".tmp")
    }
}
