// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineSystem

extension BodyTable {
    /// Moves the files of another database's bodies to those of this one.
    ///
    /// A file is named by the hash of its content, so one that exists already has the same content.
    func takeFiles(ofDatabase other: String) throws(FileError) {
        let source = other + "-bodies"
        guard try FileSystem.status(of: source) != nil else { return }
        for group in try FileSystem.names(in: source) {
            for name in try FileSystem.names(in: "\(source)/\(group)") {
                try FileSystem.makeFolder(folder)
                try FileSystem.makeFolder("\(folder)/\(group)")
                try FileSystem.move("\(source)/\(group)/\(name)", to: "\(folder)/\(group)/\(name)")
            }
            if try FileSystem.status(of: "\(folder)/\(group)") != nil {
                try FileSystem.syncFolder("\(folder)/\(group)")
            }
        }
    }

    /// Removes files that no row names, as a crash leaves them; other files are not touched.
    ///
    /// Requires a transaction, and that nobody else writes.
    func removeOrphans() throws {
        guard try FileSystem.status(of: folder)?.kind == .folder else { return }
        let known = try namesOfFiles()
        for group in try FileSystem.names(in: folder) where group.utf8.count == 2 {
            for name in try FileSystem.names(in: "\(folder)/\(group)") {
                let isPart = name.hasSuffix(".part")
                let stem = isPart ? String(name.dropLast(5)) : name
                guard stem.hasPrefix(group), stem.utf8.count == 64,
                    stem.utf8.allSatisfy({ $0.isLowercaseHexDigit })
                else { continue }
                if isPart || !known.contains(stem) {
                    try FileSystem.remove("\(folder)/\(group)/\(name)")
                }
            }
        }
    }

    /// Copies the file of a body to the folder of another database; does nothing if it is missing.
    static func copyFile(
        _ digest: Digest,
        of database: String,
        to other: String
    ) throws(FileError) {
        let from = path(of: digest, in: database + "-bodies")
        let to = path(of: digest, in: other + "-bodies")
        guard try FileSystem.status(of: from) != nil else { return }
        try FileSystem.makeFolder(other + "-bodies")
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
}

extension UInt8 {
    fileprivate var isLowercaseHexDigit: Bool { 0x30...0x39 ~= self || 0x61...0x66 ~= self }
}
