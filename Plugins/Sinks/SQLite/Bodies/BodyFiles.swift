// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel
internal import TaplineSystem

/// Stores bodies that are too large for the database as files named by their hash, in a folder next
/// to it.
///
/// A file is written before the row that names it is committed, and is removed after the row. Files
/// that a crash leaves in between are removed when the database is opened next.
struct BodyFiles {
    /// `traffic.db-bodies`.
    let folder: String
    private let isSynced: Bool

    init(database path: String, sync: Sync) {
        folder = path + "-bodies"
        isSynced = sync == .batch
    }

    func path(of digest: Digest) -> String {
        let name = digest.hex
        return "\(folder)/\(name.prefix(2))/\(name)"
    }

    /// Writes a body; the file gets its name only when it is complete.
    func write(_ bytes: Span<UInt8>, _ digest: Digest) throws(FileError) {
        let path = path(of: digest)
        let group = FileSystem.folder(of: path)
        try FileSystem.makeFolder(folder)
        try FileSystem.makeFolder(group)
        do {
            try writePart(bytes, path)
        } catch {
            // A full disk needs the space; a file that cannot be removed is an orphan.
            try? FileSystem.remove(path + BodyFiles.partSuffix)
            throw error
        }
        if isSynced {
            try FileSystem.syncFolder(group)
            try FileSystem.syncFolder(folder)
        }
    }

    private func writePart(_ bytes: Span<UInt8>, _ path: String) throws(FileError) {
        let file = try File(path + BodyFiles.partSuffix, for: .replace)
        try file.write(bytes)
        if isSynced { try file.syncData() }
        try file.close()
        try FileSystem.move(path + BodyFiles.partSuffix, to: path)
    }

    func remove(_ digest: Digest) throws(FileError) {
        try FileSystem.remove(path(of: digest))
    }

    /// Removes Tapline's files that no row names; other files are not touched.
    ///
    /// - Returns: How many files were removed.
    func removeOrphans(unless isKept: (Digest) throws -> Bool) throws -> Int {
        guard try FileSystem.status(of: folder)?.kind == .folder else { return 0 }
        var removed = 0
        for group in try FileSystem.names(in: folder) where group.utf8.count == 2 {
            for name in try FileSystem.names(in: "\(folder)/\(group)") {
                let isPart = name.hasSuffix(BodyFiles.partSuffix)
                let stem = isPart ? name.dropLast(BodyFiles.partSuffix.count) : name[...]
                guard let digest = BodyFiles.digest(stem), stem.hasPrefix(group) else { continue }
                if !isPart, try isKept(digest) { continue }
                try FileSystem.remove("\(folder)/\(group)/\(name)")
                removed += 1
            }
        }
        return removed
    }

    private static let partSuffix = ".part"

    /// Parses a digest of 64 lower-case hexadecimal digits.
    private static func digest(_ name: Substring) -> Digest? {
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
}
