// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// The folder with the root certificate and its key: `root.pem` and `root-key.pem`.
///
/// `bundle.pem` and `trust.p12` are created when programs need them (`TrustBundle`), and can be
/// created again at any time.
///
/// The root and its key appear together, since the folder is created under another name and then
/// moved into place. If two processes start at once, one of them creates the files and the other
/// uses them. Existing roots and keys are never changed.
package struct AuthorityStore: Sendable, Hashable {
    /// The folder.
    package let folder: String

    /// Makes a store in a folder.
    package init(folder: String) { self.folder = folder }

    /// Makes the store of the user: `tapline/ca` under `$XDG_DATA_HOME`, or under `~/.local/share`.
    ///
    /// Returns `nil` if neither that variable nor `$HOME` is an absolute path, which the XDG base
    /// directory specification requires.
    package init?(environment: [String: String]) {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            self.init(folder: "\(data)/tapline/ca")
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.init(folder: "\(home)/.local/share/tapline/ca")
        } else {
            return nil
        }
    }

    /// The file of the certificate, which may be shared.
    package var certificatePath: String { "\(folder)/root.pem" }

    /// The file of the key, which must not be shared.
    package var keyPath: String { "\(folder)/root-key.pem" }

    /// Whether anything exists at the path of the folder.
    package var exists: Bool {
        get throws(TLSError) {
            try refusing { () throws(FileError) in try FileSystem.status(of: folder) != nil }
        }
    }

    func loadOrCreate() throws(TLSError) -> RootCertificate {
        try exists ? load() : create()
    }

    /// Reads the certificate and its key.
    ///
    /// **Throws**: `TLSError` if users other than the owner can read the key, or if a file is
    /// missing or invalid.
    func load() throws(TLSError) -> RootCertificate {
        let texts = try refusing { () throws(FileError) in
            (certificate: try read(certificatePath).bytes, key: try read(keyPath))
        }
        guard texts.key.permissions & 0o077 == 0 else {
            let mode = String(texts.key.permissions, radix: 8)
            throw TLSError(
                .authority,
                "others can read the key '\(keyPath)': its mode is \(mode), expected 600; "
                    + "create a new one with 'tapline ca rotate' unless no one can have read it"
            )
        }
        do throws(TLSError) {
            return try RootCertificate(certificate: texts.certificate, key: texts.key.bytes)
        } catch {
            throw TLSError(.authority, "cannot use the authority in '\(folder)': \(error.message)")
        }
    }

    /// Creates a root and moves it into place, unless another process was first.
    private func create() throws(TLSError) -> RootCertificate {
        let root = try RootCertificate(now: WallClock.seconds)
        let isFirst = try refusing { () throws(FileError) in
            let made = try write(root)
            return try Self.place(made, at: folder)
        }
        return isFirst ? root : try load()
    }

    /// Replaces the root with a new one, and keeps the old folder beside it.
    ///
    /// `bundle.pem` and `trust.p12` are created again if they exist.
    ///
    /// - Parameter environment: The variables, for the bundle.
    /// - Returns: The folder of the old root; `nil` if there was none.
    /// - Throws: `TLSError`; the old root then stays in use.
    package func rotate(environment: [String: String] = [:]) throws(TLSError) -> String? {
        let (hasBundle, hasJavaStore) = try refusing { () throws(FileError) in
            try (
                FileSystem.status(of: bundlePath) != nil,
                FileSystem.status(of: javaStorePath) != nil
            )
        }
        let former = try rotateRoot()
        guard hasBundle || hasJavaStore else { return former }
        let bundle = try TrustBundle(of: CertificateAuthority(self), environment: environment)
        if hasBundle { try writeBundle(bundle) }
        if hasJavaStore { try writeJavaStore(bundle) }
        return former
    }

    private func rotateRoot() throws(TLSError) -> String? {
        let root = try RootCertificate(now: WallClock.seconds)
        return try refusing { () throws(FileError) in
            let made = try write(root)
            guard try FileSystem.status(of: folder) != nil else {
                _ = try Self.place(made, at: folder)
                return nil
            }
            let former = try unusedName()
            try FileSystem.move(folder, to: former)
            do throws(FileError) {
                // If another process has created one in between, that one is new as well.
                _ = try Self.place(made, at: folder)
            } catch {
                try? FileSystem.move(former, to: folder)
                throw error
            }
            return former
        }
    }

    // MARK: - Files

    /// Writes both files to a new folder beside the final one, and syncs them to the disk.
    private func write(_ root: RootCertificate) throws(FileError) -> String {
        let parent = FileSystem.folder(of: folder)
        try Self.makeFolders(parent)
        let made = "\(folder)-new-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        try FileSystem.makeFolder(made)
        do throws(FileError) {
            try Self.write(root.makeKeyPEM(), to: "\(made)/root-key.pem")
            try Self.write(root.certificatePEM, to: "\(made)/root.pem")
            try FileSystem.syncFolder(made)
            return made
        } catch {
            try? FileSystem.removeFolder(made)
            throw error
        }
    }

    /// Moves a folder into place (rename(2)); removes it if something already exists there.
    private static func place(_ made: String, at folder: String) throws(FileError) -> Bool {
        do throws(FileError) {
            try FileSystem.move(made, to: folder)
        } catch {
            try FileSystem.removeFolder(made)
            guard error.isExisting else { throw error }
            return false
        }
        try FileSystem.syncFolder(FileSystem.folder(of: folder))
        return true
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let file = try File(path, for: .create)
        try file.write(bytes.span)
        try file.syncData()
        try file.close()
    }

    /// Creates a folder and its missing parents.
    private static func makeFolders(_ path: String) throws(FileError) {
        guard try FileSystem.status(of: path) == nil else { return }
        let parent = FileSystem.folder(of: path)
        if parent != path { try makeFolders(parent) }
        try FileSystem.makeFolder(path)
    }

    /// Returns a folder name with the date, and a number if that name exists.
    private func unusedName() throws(FileError) -> String {
        let day = Timestamp(microseconds: WallClock.microseconds).rfc3339.prefix(10)
        var name = "\(folder)-\(day)"
        var number = 2
        while try FileSystem.status(of: name, followingLinks: false) != nil {
            name = "\(folder)-\(day)-\(number)"
            number += 1
        }
        return name
    }

    /// Returns the bytes and the permissions of a small file.
    private func read(_ path: String) throws(FileError) -> (bytes: [UInt8], permissions: UInt32) {
        let file = try File(path, for: .readWithoutWaiting)
        var bytes: [UInt8] = []
        while bytes.count < Self.largest, try file.read(appendingTo: &bytes, atMost: 4096) > 0 {}
        return (bytes, try file.status().permissions)
    }

    /// The maximum number of bytes that are read; both files are smaller than 1 KiB.
    private static let largest = 65_536

    private func refusing<Value>(
        _ work: () throws(FileError) -> Value
    ) throws(TLSError) -> Value {
        do throws(FileError) {
            return try work()
        } catch {
            throw TLSError(.authority, "cannot use the authority in '\(folder)': \(error)")
        }
    }
}
