// SPDX-License-Identifier: MIT

package import TaplineSystem

/// The ports of this machine to which no proxy of Tapline may connect its clients: those of
/// inspectors, which show what the clients must not see.
///
/// They are files in a folder of the user, so that all programs of the user know them. A program
/// locks its file as long as it listens. Files without a lock have no effect and are left, since
/// another program may just be about to lock one.
///
/// **Isolation**: any thread.
package struct ProtectedPorts: Sendable {
    private let folder: String

    /// Makes the ports that are registered in a folder, which need not exist.
    package init(folder: String) { self.folder = folder }

    /// The ports of the user: in `tapline` under `$XDG_RUNTIME_DIR`, or in `/tmp/tapline-UID`.
    package static func ofUser(
        _ environment: [String: String] = ProcessEnvironment.variables
    ) -> ProtectedPorts {
        // https://specifications.freedesktop.org/basedir-spec/: a relative path is ignored.
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            return ProtectedPorts(folder: "\(runtime)/tapline")
        }
        return ProtectedPorts(folder: "/tmp/tapline-\(UserAccount.current)")
    }

    /// Registers a port.
    ///
    /// - Parameter port: The port.
    /// - Returns: What keeps it registered.
    /// - Throws: `FileError` if the folder cannot be written.
    package func protect(_ port: UInt16) throws(FileError) -> ProtectedPort {
        try FileSystem.makeFolder(folder)
        let file = try File(path(port), for: .append)
        // A proxy that asks for the port holds the lock for a moment.
        _ = try file.lock(waiting: 1000)
        return ProtectedPort(file)
    }

    /// Returns whether a program has registered a port and still runs.
    ///
    /// If that cannot be found out, the port counts as registered.
    package func contains(_ port: UInt16) -> Bool {
        do throws(FileError) {
            guard try FileSystem.status(of: path(port)) != nil else { return false }
            return try !File(path(port), for: .read).lock()
        } catch {
            return !error.isMissing
        }
    }

    private func path(_ port: UInt16) -> String { "\(folder)/inspector-\(port)" }
}

/// A port that is registered until this object is released.
package final class ProtectedPort: Sendable {
    private let file: File

    init(_ file: consuming File) { self.file = file }
}
