// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@Suite struct FileSystemTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func distinguishesFilesFoldersAndMissingPaths() throws {
        try folder.write("12345", to: "a")
        let file = try #require(try FileSystem.status(of: folder("a")))
        #expect(file.kind == .regular)
        #expect(file.size == 5)
        #expect(file.modified > 1_600_000_000_000_000)
        #expect(try FileSystem.status(of: folder.path)?.kind == .folder)
        #expect(try FileSystem.status(of: folder("b")) == nil)
        #expect(try FileSystem.status(of: folder("a/b")) == nil)
        #expect(try FileSystem.status(of: "/dev/null")?.kind == .device)
    }

    @Test func checksPermissionsWithoutOpening() throws {
        try folder.write("a", to: "a")
        for use in [FileSystem.Use.read, .write] {
            try FileSystem.check(folder("a"), for: use)
            try FileSystem.check(folder.path, for: use)
            let error = #expect(throws: FileError.self) {
                try FileSystem.check(folder("b"), for: use)
            }
            #expect(error?.isMissing == true)
            #expect(error?.path == folder("b"))
        }
    }

    @Test func movesAndRemoves() throws {
        try folder.write("a", to: "a")
        let before = try #require(try FileSystem.status(of: folder("a")))
        try FileSystem.move(folder("a"), to: folder("b"))
        let after = try #require(try FileSystem.status(of: folder("b")))
        #expect(after.isSameFile(as: before))
        #expect(try FileSystem.names(in: folder.path) == ["b"])
        try FileSystem.remove(folder("b"))
        try FileSystem.remove(folder("b"))
        #expect(try FileSystem.names(in: folder.path) == [])
        let error = #expect(throws: FileError.self) {
            try FileSystem.move(folder("a"), to: folder("b"))
        }
        #expect(error?.isMissing == true)
    }

    @Test func findsFilesThatMatchAPattern() throws {
        for name in ["b.har", "a.har", "c.ndjson", "ä.har"] { try folder.write("", to: name) }
        let names = try FileSystem.glob(folder("*.har")).map(FileSystem.name(of:))
        #expect(names == ["a.har", "b.har", "ä.har"])
        #expect(try FileSystem.glob(folder("*.txt")) == [])
        #expect(try FileSystem.glob(folder("a.har")) == [folder("a.har")])
    }

    @Test(arguments: [
        ("a", ".", "a"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/a/b.c", "/a", "b.c"),
        ("a/", "a", ""),
    ])
    func splitsPaths(path: String, folder: String, name: String) {
        #expect(FileSystem.folder(of: path) == folder)
        #expect(FileSystem.name(of: path) == name)
    }

    @Test func makesTemporaryNamesNextToAFile() {
        let name = FileSystem.temporaryName(for: "a/b.db")
        #expect(FileSystem.folder(of: name) == "a")
        #expect(name != FileSystem.temporaryName(for: "a/b.db"))
        #expect(FileSystem.isTemporaryName(name, for: "a/b.db"))
        #expect(!FileSystem.isTemporaryName("a/b.db", for: "a/b.db"))
        #expect(!FileSystem.isTemporaryName(name, for: "a/c.db"))
    }
}
