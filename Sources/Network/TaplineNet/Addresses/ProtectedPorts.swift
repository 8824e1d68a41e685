// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineSystem

/// The ports of this machine to which no proxy of Tapline may connect its clients: those of
/// inspectors and control listeners, which show what the clients must not see.
///
/// They are files in a private folder of the user, so that all programs of the user know them. A
/// program locks its file as long as it listens, and removes it then. Files without a lock, which
/// programs leave that were killed, have no effect. Programs that listen on the same port of
/// different addresses have a file each.
///
/// **Isolation**: any thread.
package struct ProtectedPorts: Sendable {
    /// How many programs may register the same port.
    private static let maxPrograms = 8

    private let folder: String

    /// Makes the ports that are registered in a folder, which need not exist.
    package init(folder: String) { self.folder = folder }

    /// The ports of the user: in `tapline` under `$XDG_RUNTIME_DIR`, or in `/tmp/tapline-UID`.
    ///
    /// - Parameter environment: The variables; `nil` for those of this process.
    /// - Returns: The ports.
    package static func ofUser(_ environment: [String: String]? = nil) -> ProtectedPorts {
        let environment = environment ?? ProcessEnvironment.variables
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
    /// - Throws: `ProtectedPortError` if the folder is not private or cannot be written, or if
    ///   eight programs have registered the port.
    package func protect(_ port: UInt16) throws(ProtectedPortError) -> ProtectedPort {
        do {
            let folder = try PrivateFolder(folder, creates: true)
            for name in Self.names(port) {
                if let file = try Self.locked(name, in: folder) {
                    return ProtectedPort(file, name, in: folder)
                }
            }
            throw ProtectedPortError("too many programs have registered the port \(port)")
        } catch let error as ProtectedPortError {
            throw error
        } catch {
            throw ProtectedPortError("\(error)")
        }
    }

    /// Locks the file of a name; `nil` if another program has it.
    private static func locked(
        _ name: String,
        in folder: PrivateFolder
    ) throws(FileError) -> LockFile? {
        while true {
            let file = try folder.makeFile(name)
            // A proxy that asks for the port holds a shared lock for a moment.
            guard try file.lock(waiting: 100) else { return nil }
            // The program that had it may have removed it since it was opened.
            if try !file.isRemoved { return file }
        }
    }

    /// Returns whether a program has registered a port and still runs.
    ///
    /// If that cannot be found out, the port counts as registered. A folder of another user has no
    /// port of this user, since `protect` refuses it; that user cannot block ports either.
    package func contains(_ port: UInt16) -> Bool {
        do {
            let folder = try PrivateFolder(folder, creates: false)
            for name in Self.names(port) {
                // Programs that clean up may have removed any of them.
                guard let file = try folder.file(name) else { continue }
                // Shared, so that two proxies that ask do not mistake each other for an inspector.
                if try !file.lockShared() { return true }
            }
            return false
        } catch let error as PrivateFolderError {
            return error.code != .missing && error.code != .foreign
        } catch {
            return true
        }
    }

    /// Writes a file of the folder, which only this user may read.
    ///
    /// - Parameters:
    ///   - bytes: The new content.
    ///   - name: The name of the file.
    /// - Returns: Its path.
    /// - Throws: `ProtectedPortError` if the folder is not private or cannot be written.
    package func write(
        _ bytes: [UInt8],
        to name: String
    ) throws(ProtectedPortError) -> String {
        do {
            try PrivateFolder(folder, creates: true).makeFile(name).replace(bytes)
            return "\(folder)/\(name)"
        } catch {
            throw ProtectedPortError("\(error)")
        }
    }

    /// Reads a file of the folder; `nil` if there is none, or if others may change it.
    package func read(_ name: String) -> [UInt8]? {
        try? PrivateFolder(folder, creates: false).file(name)?.content(atMost: 4096)
    }

    private static func names(_ port: UInt16) -> [String] {
        (1...maxPrograms).map { $0 == 1 ? "inspector-\(port)" : "inspector-\(port)-\($0)" }
    }
}

/// Why a port cannot be registered.
package struct ProtectedPortError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A port that is registered until `release`, or until this object is released.
package final class ProtectedPort: Sendable {
    private struct Registration {
        let file: LockFile
        let name: String
        let folder: PrivateFolder
    }

    private let registration: Mutex<Registration?>

    init(_ file: LockFile, _ name: String, in folder: PrivateFolder) {
        registration = Mutex(Registration(file: file, name: name, folder: folder))
    }

    deinit { release() }

    /// Ends the registration, and removes its file; later calls do nothing.
    package func release() {
        registration.withLock { registration in
            // While the lock is held, so that the file is not that of another program.
            if let own = registration { own.folder.remove(own.name) }
            registration = nil
        }
    }
}
