// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineStoreSchema
import TaplineSystem
import TestSupport
import Testing

@Suite("Files of bodies")
struct BodyFilesTests {
    private let folder: TemporaryFolder
    private let files: BodyFiles

    init() throws {
        folder = try TemporaryFolder()
        files = BodyFiles(database: folder("traffic.db"))
    }

    private func write(_ text: String) throws -> Digest {
        let bytes = Array(text.utf8)
        let digest = SHA256.hash(bytes.span)
        try files.write(bytes.span, digest)
        return digest
    }

    @Test("have the hash of their content as their name")
    func names() throws {
        let digest = try write("a")
        let path = files.path(of: digest)
        #expect(files.folder == folder("traffic.db-bodies"))
        #expect(path == "\(files.folder)/ca/\(digest)")
        #expect(try FileSystem.names(in: FileSystem.folder(of: path)) == [digest.hex])
        #expect(BodyFiles.digest(digest.hex[...]) == digest)
        for name in [digest.hex.uppercased(), digest.hex + "0", "notes.txt", ""] {
            #expect(BodyFiles.digest(name[...]) == nil)
        }
        try files.remove(digest)
        #expect(try FileSystem.status(of: path) == nil)
        try files.removeAll()
        try files.removeAll()
        #expect(try FileSystem.names(in: folder.path).isEmpty)
    }

    @Test("are removed if no row names them")
    func orphans() throws {
        let (kept, orphan) = (try write("a"), try write("b"))
        let group = FileSystem.folder(of: files.path(of: kept))
        for path in ["\(group)/notes.txt", files.path(of: kept) + ".part"] {
            _ = try File(path, for: .create)
        }
        let removed = try files.removeOrphans { $0 == kept }
        #expect(removed == 2)
        #expect(try FileSystem.names(in: group).sorted() == [kept.hex, "notes.txt"])
        #expect(try FileSystem.status(of: files.path(of: orphan)) == nil)
    }

    @Test("are copied and moved to another database")
    func copies() throws {
        let digests = [try write("a"), try write("b")]
        let copies = BodyFiles(database: folder("copy.db"))
        for digest in digests { try files.copy(digest, to: copies) }
        try files.remove(digests[0])
        try files.copy(digests[0], to: copies)
        try files.moveAll(to: copies)
        for digest in digests {
            #expect(try FileSystem.status(of: copies.path(of: digest))?.size == 1)
            #expect(try FileSystem.status(of: files.path(of: digest)) == nil)
        }
    }
}
