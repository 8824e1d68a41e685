// SPDX-License-Identifier: MIT

package import TaplineSystem

/// A temporary folder of a test, removed with its content when the object is released.
package final class TemporaryFolder: Sendable {
    /// Its absolute path.
    package let path: String

    /// Creates the folder, with files by name.
    package init(_ files: [String: String] = [:]) throws(FileError) {
        path = try FileSystem.makeTemporaryFolder(prefix: "tapline-test")
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileSystem.removeFolder(path) }

    /// Returns the path of a file in it.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, replaces an existing one, and returns its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws(FileError) -> String {
        try File(self(name), for: .replace).write(bytes.span)
        return self(name)
    }

    /// Writes a text as UTF-8.
    @discardableResult
    package func write(_ text: String, to name: String) throws(FileError) -> String {
        try write(Array(text.utf8), to: name)
    }

    /// Returns the content of a file.
    package func bytes(_ name: String) throws(FileError) -> [UInt8] {
        try TestFiles.bytes(of: self(name))
    }

    /// Returns the content of a file as text.
    package func read(_ name: String) throws(FileError) -> String {
        String(decoding: try bytes(name), as: UTF8.self)
    }
}

/// Calls `body` with the path of a temporary folder, which is removed afterwards.
package func withTemporaryFolder<Result>(
    _ body: (String) throws -> Result
) throws -> Result {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) { try body(folder.path) }
}

/// Calls `body` with the path of a temporary folder, which is removed afterwards.
package func withTemporaryFolder<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (String) async throws -> Result
) async throws -> Result {
    let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-test")
    defer { try? FileSystem.removeFolder(folder) }
    return try await body(folder)
}
