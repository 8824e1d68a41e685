// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// Key files and folders of keys, which no rule may answer with.
package struct ProtectedFiles: Sendable {
    /// How deep a protected folder is searched for a file with several names.
    private static let maxDepth = 4

    private let paths: [String]
    /// The folder that files must be in; `nil` for any.
    private var folder: String?
    /// The files that may be anywhere.
    private var exceptions: Set<String> = []

    /// Creates the list of the files and folders that a pipeline names.
    package init(_ paths: [String]) { self.paths = paths }

    /// The folder of the user's own authorities (XDG Base Directory Specification).
    package static func ofUser(_ environment: [String: String]) -> [String] {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return ["\(data)/tapline"]
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return [] }
        return ["\(home)/.local/share/tapline"]
    }

    /// Returns the list for a text that someone else has written: files must be in the folder of a
    /// file, or be one of those that are given.
    package func limited(toFolderOf file: String, besides exceptions: [String]) -> ProtectedFiles {
        var limited = self
        limited.folder = ProtectedFiles.folder(of: FileSystem.resolved(file) ?? file)
        limited.exceptions = Set(exceptions)
        return limited
    }

    /// Whether a file is where files must be; one that does not exist counts by its folder.
    func permits(_ file: String) -> Bool {
        guard let folder, !exceptions.contains(file) else { return true }
        guard let root = FileSystem.resolved(folder) else { return false }
        let start = root == "/" ? root : "\(root)/"
        if let real = FileSystem.resolved(file) { return real.hasPrefix(start) }
        // Outside, it must not be told apart from a file that exists.
        guard let parent = FileSystem.resolved(ProtectedFiles.folder(of: file)) else {
            return false
        }
        return parent == root || parent.hasPrefix(start)
    }

    private static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    /// Whether an open file is one of them or in one of the folders, by another name (hard link).
    func contains(_ file: FileStatus) -> Bool {
        // With a single name, its path has said all.
        file.hasOtherNames && paths.contains { ProtectedFiles.has(file, at: $0, 0) }
    }

    private static func has(_ file: FileStatus, at path: String, _ depth: Int) -> Bool {
        guard let status = try? FileSystem.status(of: path, followingLinks: depth == 0) else {
            return false
        }
        guard status.kind == .folder else { return file.isSameFile(as: status) }
        guard depth < maxDepth, let names = try? FileSystem.names(in: path) else { return false }
        return names.contains { has(file, at: "\(path)/\($0)", depth + 1) }
    }

    /// Whether a file is one of them or in one of the folders, also by another name.
    func contains(_ file: String) -> Bool {
        guard !paths.isEmpty else { return false }
        // What cannot be resolved cannot be read either.
        guard let real = FileSystem.resolved(file) else { return true }
        let status = try? FileSystem.status(of: real)
        return paths.contains { path in
            guard let protected = FileSystem.resolved(path) else { return false }
            if real == protected || real.hasPrefix("\(protected)/") { return true }
            guard let status, let other = try? FileSystem.status(of: protected) else {
                return false
            }
            return status.isSameFile(as: other)
        }
    }
}
