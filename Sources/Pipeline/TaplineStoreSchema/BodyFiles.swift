// SPDX-License-Identifier: MIT

internal import TaplineBytes
package import TaplineCrypto
package import TaplineSystem

/// The files of bodies that are too large for a database: each is named by the hash of its content,
/// in a folder next to the database.
///
/// A file is written before the row that names it is committed, and is removed after the row. A
/// crash in between leaves a file that no row names.
package struct BodyFiles: Sendable {
    private static let partSuffix = ".part"

    /// `traffic.db-bodies`.
    package let folder: String
    /// Whether a file is on disk once it is written.
    package let isSynced: Bool

    /// Creates the description of a folder; nothing is accessed yet.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - isSynced: Whether a file has to be on disk once it is written.
    package init(database path: String, isSynced: Bool = true) {
        folder = path + "-bodies"
        self.isSynced = isSynced
    }

    // MARK: Names

    /// The path of the file with a hash.
    package func path(of digest: Digest) -> String {
        let name = digest.hex
        return "\(folder)/\(name.prefix(2))/\(name)"
    }

    /// The hash that a file is named by: 64 hexadecimal digits in lower case; `nil` for other files.
    package static func digest(_ name: Substring) -> Digest? {
        guard name.utf8.count == 64, name.utf8.allSatisfy({ $0 < 0x41 || $0 > 0x46 }) else {
            return nil
        }
        let digits = Array(name.utf8)
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexDigit, let low = digits[index + 1].hexDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return Digest(bytes.span)
    }

    /// The size of the file of a body; 0 if there is none.
    package func size(of digest: Digest) -> Int {
        (try? FileSystem.status(of: path(of: digest)))?.size ?? 0
    }

    // MARK: Writing

    /// Writes a body; the file gets its name only when it is complete.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - digest: Its hash.
    /// - Throws: `FileError`.
    package func write(_ bytes: Span<UInt8>, _ digest: Digest) throws(FileError) {
        let path = path(of: digest)
        let group = FileSystem.folder(of: path)
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder(group)
        do {
            try writePart(bytes, path)
        } catch {
            // A full disk needs the space; a file that cannot be removed is an orphan.
            try? FileSystem.remove(path + Self.partSuffix)
            throw error
        }
        if isSynced {
            try FileSystem.syncFolder(group)
            try FileSystem.syncFolder(folder)
        }
    }

    /// Waits until files that were written are on disk; those that are gone are skipped.
    ///
    /// - Parameter digests: The hashes of the bodies.
    /// - Throws: `FileError`.
    package func sync(_ digests: [Digest]) throws(FileError) {
        var groups: Set<String> = []
        for digest in digests {
            let path = path(of: digest)
            guard try FileSystem.status(of: path) != nil else { continue }
            try FileSystem.syncFile(path)
            groups.insert(FileSystem.folder(of: path))
        }
        for group in groups { try FileSystem.syncFolder(group) }
        if !groups.isEmpty { try FileSystem.syncFolder(folder) }
    }

    private func writePart(_ bytes: Span<UInt8>, _ path: String) throws(FileError) {
        let file = try File(path + Self.partSuffix, for: .replace)
        try file.write(bytes)
        if isSynced { try file.syncData() }
        try file.close()
        try FileSystem.move(path + Self.partSuffix, to: path)
    }

    /// Copies the file of a body to the same folder of another database; does nothing if it is
    /// missing.
    ///
    /// - Parameters:
    ///   - digest: The hash of the body.
    ///   - other: The files of the other database.
    /// - Throws: `FileError`.
    package func copy(_ digest: Digest, to other: BodyFiles) throws(FileError) {
        let from = path(of: digest)
        let to = other.path(of: digest)
        guard try FileSystem.status(of: from) != nil else { return }
        try FileSystem.makeFolder(other.folder)
        try FileSystem.makeFolder(FileSystem.folder(of: to))
        let source = try File(from, for: .read)
        let target = try File(to, for: .replace)
        var bytes: [UInt8] = []
        while try source.read(appendingTo: &bytes, atMost: 1 << 20) > 0 {
            try target.write(bytes.span)
            bytes.removeAll(keepingCapacity: true)
        }
        try target.syncData()
    }

    /// Moves all files to the folder of another database.
    ///
    /// One that exists there already has the same content.
    ///
    /// - Parameter other: The files of the other database.
    /// - Throws: `FileError`.
    package func moveAll(to other: BodyFiles) throws(FileError) {
        guard try FileSystem.status(of: folder) != nil else { return }
        for group in try FileSystem.names(in: folder) {
            let target = "\(other.folder)/\(group)"
            for name in try FileSystem.names(in: "\(folder)/\(group)") {
                try FileSystem.makeFolder(other.folder)
                try FileSystem.makeFolder(target)
                try FileSystem.move("\(folder)/\(group)/\(name)", to: "\(target)/\(name)")
            }
            if try FileSystem.status(of: target) != nil { try FileSystem.syncFolder(target) }
        }
    }

    // MARK: Removing

    /// Removes the file of a body.
    ///
    /// - Parameter digest: The hash of the body.
    /// - Throws: `FileError`.
    package func remove(_ digest: Digest) throws(FileError) {
        try FileSystem.remove(path(of: digest))
    }

    /// Removes the folder with all files, if there is one.
    ///
    /// - Throws: `FileError`.
    package func removeAll() throws(FileError) {
        if try FileSystem.status(of: folder) != nil { try FileSystem.removeFolder(folder) }
    }

    /// Removes Tapline's files that no row names; other files are not touched.
    ///
    /// - Parameter isKept: Whether a row names the file with a hash.
    /// - Returns: How many files were removed.
    /// - Throws: `FileError`, or the error of the closure.
    @discardableResult
    package func removeOrphans(unless isKept: (Digest) throws -> Bool) throws -> Int {
        guard try FileSystem.status(of: folder)?.kind == .folder else { return 0 }
        var removed = 0
        for group in try FileSystem.names(in: folder) where group.utf8.count == 2 {
            for name in try FileSystem.names(in: "\(folder)/\(group)") {
                let isPart = name.hasSuffix(Self.partSuffix)
                let stem = isPart ? name.dropLast(Self.partSuffix.count) : name[...]
                guard let digest = Self.digest(stem), stem.hasPrefix(group) else { continue }
                if !isPart, try isKept(digest) { continue }
                try FileSystem.remove("\(folder)/\(group)/\(name)")
                removed += 1
            }
        }
        return removed
    }
}
