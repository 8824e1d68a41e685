// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import TaplineNet

@Suite struct PrivateFolderTests {
    private func code(_ path: String, creates: Bool = false) -> PrivateFolderError.Code? {
        do throws(PrivateFolderError) {
            _ = try PrivateFolder(path, creates: creates)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a folder is created for its owner alone, and opened again")
    func creates() throws {
        let folder = try TemporaryFolder()
        #expect(code(folder("own")) == .missing)
        #expect(code(folder("own"), creates: true) == nil)
        #expect(code(folder("own")) == nil)
        #expect(try FileSystem.status(of: folder("own"))?.permissions == 0o700)
    }

    @Test("a folder that others may use is rejected", arguments: ["755", "707", "770", "1777"])
    func open(mode: String) throws {
        let folder = try TemporaryFolder()
        _ = try command("mkdir", [folder("open")])
        _ = try command("chmod", [mode, folder("open")])
        #expect(code(folder("open")) == .open)
        #expect(code(folder("open"), creates: true) == .open)
    }

    @Test("a link or a file in its place is rejected")
    func links() throws {
        let folder = try TemporaryFolder()
        _ = try command("mkdir", ["-m", "700", folder("target")])
        _ = try command("ln", ["-s", folder("target"), folder("link")])
        #expect(code(folder("link")) == .foreign)
        #expect(code(folder("link"), creates: true) == .foreign)
        try folder.write("", to: "file")
        #expect(code(folder("file"), creates: true) == .foreign)
    }

    @Test(
        "the folder of another user is rejected",
        .enabled(if: UserAccount.current == 0, "only the administrator can give a folder away")
    )
    func owner() throws {
        let folder = try TemporaryFolder()
        _ = try command("mkdir", ["-m", "700", folder("other")])
        _ = try command("chown", ["65534", folder("other")])
        #expect(code(folder("other"), creates: true) == .foreign)
    }

    @Test("its files are created with mode 0600, and links are not followed")
    func files() throws {
        let folder = try TemporaryFolder()
        let own = try PrivateFolder(folder("own"), creates: true)
        let isMissing = try own.file("a") == nil
        #expect(isMissing)
        _ = try own.makeFile("a")
        let isThere = try own.file("a") != nil
        #expect(isThere)
        #expect(try FileSystem.status(of: folder("own/a"))?.permissions == 0o600)
        _ = try command("ln", ["-s", folder("target"), folder("own/link")])
        #expect(throws: FileError.self) { _ = try own.makeFile("link") }
        #expect(throws: FileError.self) { _ = try own.file("link") }
        #expect(try FileSystem.status(of: folder("target")) == nil)
    }

    @Test("shared locks exclude only the exclusive one")
    func locks() throws {
        let folder = try TemporaryFolder()
        let own = try PrivateFolder(folder("own"), creates: true)
        let first = try own.makeFile("a")
        let second = try own.makeFile("a")
        let third = try own.makeFile("a")
        #expect(try first.lockShared())
        #expect(try second.lockShared())
        #expect(try !third.lock())
        first.unlock()
        second.unlock()
        #expect(try third.lock())
        #expect(try !first.lockShared())
    }
}
