// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// Key files and folders of keys, which no rule may answer with.
package struct ProtectedFiles: Sendable {
    private let paths: [String]

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
