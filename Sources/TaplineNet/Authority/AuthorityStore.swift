// SPDX-License-Identifier: MIT

internal import TaplineFiles
internal import TaplineModel

/// The folder in which the root certificate and its key are kept: `root.pem` and `root-key.pem`.
///
/// `bundle.pem` and `trust.p12` come when programs need them (`TrustBundle`), and can be made anew any
/// time.
///
/// The first two come into being together, since the folder is made under another name and moved into
/// place: of two processes that start at once one is first, and the other takes what that one made.
/// What is there of these is never written to.
public struct AuthorityStore: Sendable, Hashable {
    /// The folder.
    public let folder: String

    /// A store in a folder.
    public init(folder: String) { self.folder = folder }

    /// The store of the user: `tapline/ca` under `$XDG_DATA_HOME`, or under `~/.local/share`.
    ///
    /// Nothing where neither that nor `$HOME` is set to an absolute path, which the specification
    /// of base folders asks for.
    public init?(environment: [String: String]) {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            self.init(folder: "\(data)/tapline/ca")
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.init(folder: "\(home)/.local/share/tapline/ca")
        } else {
            return nil
        }
    }

    /// The file of the certificate, which may be copied to others.
    public var certificatePath: String { "\(folder)/root.pem" }

    /// The file of the key, which may not.
    public var keyPath: String { "\(folder)/root-key.pem" }

    /// Whether there is anything at its place.
    public var exists: Bool {
        get throws(TLSError) {
            try refusing { () throws(FileError) in try FileSystem.status(of: folder) != nil }
        }
    }

    func loadOrCreate() throws(TLSError) -> RootCertificate {
        try exists ? load() : create()
    }

    /// Reads what is there.
    ///
    /// **Throws**: `TLSError` where others than the owner may read the key, or a file is missing or
    /// holds something else.
    func load() throws(TLSError) -> RootCertificate {
        let texts = try refusing { () throws(FileError) in
            (certificate: try read(certificatePath).bytes, key: try read(keyPath))
        }
        guard texts.key.permissions & 0o077 == 0 else {
            let mode = String(texts.key.permissions, radix: 8)
            throw TLSError(
                .authority,
                "others may read the key '\(keyPath)': its mode is \(mode), expected 600; "
                    + "make a new one with 'tapline ca rotate', unless nobody else can have read it"
            )
        }
        do throws(TLSError) {
            return try RootCertificate(certificate: texts.certificate, key: texts.key.bytes)
        } catch {
            throw TLSError(.authority, "cannot use the authority in '\(folder)': \(error.message)")
        }
    }

    /// Makes a root, and puts it in its place unless another process was first.
    private func create() throws(TLSError) -> RootCertificate {
        let root = try RootCertificate(now: WallClock.seconds)
        let isFirst = try refusing { () throws(FileError) in
            let made = try write(root)
            return try Self.place(made, at: folder)
        }
        return isFirst ? root : try load()
    }

    /// Puts a new root in the place of what is there, which is kept beside it.
    ///
    /// What stood beside the former one for programs that were told of it is made anew.
    ///
    /// - Parameter environment: The variables, for that bundle.
    /// - Returns: The folder in which the former one is now; nothing where there was none.
    /// - Throws: `TLSError`; what was there is still in use then.
    public func rotate(environment: [String: String] = [:]) throws(TLSError) -> String? {
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
                // Should another process have made one between the two, that one is new as well.
                _ = try Self.place(made, at: folder)
            } catch {
                try? FileSystem.move(former, to: folder)
                throw error
            }
            return former
        }
    }

    // MARK: - Files

    /// Writes both files to a new folder beside the final one, and sees to it that they are on the
    /// disk.
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

    /// Moves a folder into its place (rename(2)); removes it where something is there already.
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

    /// Makes a folder and those above it that are missing.
    private static func makeFolders(_ path: String) throws(FileError) {
        guard try FileSystem.status(of: path) == nil else { return }
        let parent = FileSystem.folder(of: path)
        if parent != path { try makeFolders(parent) }
        try FileSystem.makeFolder(path)
    }

    /// A folder's name with the day after it, and a number where there is one of that day.
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

    /// The bytes of a small file, and who may read it.
    private func read(_ path: String) throws(FileError) -> (bytes: [UInt8], permissions: UInt32) {
        let file = try File(path, for: .readWithoutWaiting)
        var bytes: [UInt8] = []
        while bytes.count < Self.largest, try file.read(appendingTo: &bytes, atMost: 4096) > 0 {}
        return (bytes, try file.status().permissions)
    }

    /// What is read of a file: both are smaller than 1 KiB.
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
