// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineSQL
@testable import TaplineStore

@Suite("Errors of stores")
struct StoreErrorTests {
    /// SQLITE_READONLY.
    private let readOnly: Int32 = 8
    /// SQLITE_IOERR.
    private let inputOutput: Int32 = 10
    /// SQLITE_CANTOPEN.
    private let cannotOpen: Int32 = 14

    @Test("name the file that may not be used")
    func permissions() {
        let error = SQLiteError(extendedCode: readOnly, message: "attempt to write")
        for (path, message) in [
            ("a/b.db", "cannot write 'a/b.db'; permission denied"),
            ("a/b.db-wal", "cannot write 'a/b.db'; permission denied for 'a/b.db-wal'"),
            ("a", "cannot write 'a/b.db'; permission denied for 'a'"),
            ("b", "cannot write 'a/b.db'; attempt to write"),
        ] {
            let found = StoreError(system: error, "a/b.db", .write) {
                other,
                _ throws(FileError) in
                if other == path { throw FileError("write", other, code: EACCES) }
                throw FileError("write", other, code: ENOENT)
            }
            #expect(found.code == .system)
            #expect(found.description == message)
        }
        let reading = StoreError(system: error, "a/b.db", .read) { other, _ throws(FileError) in
            if other == "a" { throw FileError("read", other, code: EACCES) }
        }
        #expect(reading.description == "cannot read 'a/b.db'; attempt to write")
    }

    @Test("name the cause that the system gives")
    func causes() {
        let full = SQLiteError(
            extendedCode: inputOutput,
            message: "disk I/O error",
            systemCode: ENOSPC
        )
        #expect(
            StoreError(writing: full, "/none/a.db").description
                == "cannot write '/none/a.db'; no space left on device (disk I/O error)"
        )
        let denied = SQLiteError(
            extendedCode: cannotOpen,
            message: "unable to open database file",
            systemCode: EACCES
        )
        #expect(
            StoreError(denied, "/none/a.db").description
                == "cannot read '/none/a.db'; permission denied (unable to open database file)"
        )
        let other = SQLiteError(extendedCode: 1, message: "no such table: t")
        #expect(StoreError(other, "a.db").description == "cannot read 'a.db'; no such table: t")
    }

    @Test("name the cause if a file next to the database cannot be opened")
    func opening() throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        try Written.database([.example()], at: path)
        try FileSystem.makeFolder(path + "-wal")
        try folder.write("content", to: "traffic.db-wal/file")
        let error = #expect(throws: StoreError.self) { try Store(path).count() }
        #expect(error?.code == .system)
        #expect(error?.description.contains("'\(path)'") == true)
        #expect(
            error?.description.contains("is a directory") == true,
            "\(error?.description ?? "")"
        )
    }
}
