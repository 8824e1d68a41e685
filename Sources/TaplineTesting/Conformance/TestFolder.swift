// SPDX-License-Identifier: MIT

internal import TaplineFiles

/// A folder of a check's own, removed with all that is in it.
final class TestFolder: Sendable {
    let path: String

    /// Makes the folder, with files by name.
    init(_ files: [String: String] = [:]) throws {
        path = try FileSystem.makeTemporaryFolder(prefix: "tapline-conformance")
        for (name, text) in files {
            try File("\(path)/\(name)", for: .create).write(text.utf8.span)
        }
    }

    deinit {
        // Nobody is left to be told of a file that stays.
        try? FileSystem.removeFolder(path)
    }

    /// All that is in it, folders within included, by path.
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
