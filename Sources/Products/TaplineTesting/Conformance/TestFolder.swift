// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// A folder for one check, removed with its contents.
final class TestFolder: Sendable {
    let path: String

    /// Creates the folder, with files by name.
    init(_ files: [String: String] = [:]) throws {
        path = try FileSystem.makeTemporaryFolder(prefix: "tapline-conformance")
        for (name, text) in files {
            try File("\(path)/\(name)", for: .create).write(text.utf8.span)
        }
    }

    deinit {
        // An error cannot be reported here; the file stays.
        try? FileSystem.removeFolder(path)
    }

    /// Returns all files and folders in it by path, including those in subfolders.
    func contents() throws -> [String: FileStatus] {
        var found: [String: FileStatus] = [:]
        try gather(path, into: &found)
        return found
    }

    private func gather(_ folder: String, into found: inout [String: FileStatus]) throws {
        for name in try FileSystem.names(in: folder) {
            let path = "\(folder)/\(name)"
            guard let status = try FileSystem.status(of: path) else { continue }
            found[path] = status
            if status.kind == .folder { try gather(path, into: &found) }
        }
    }
}
