// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import TaplineNet

@Suite struct ProtectedPortsTests {
    @Test("a port is protected as long as it is registered")
    func registered() throws {
        let folder = try TemporaryFolder()
        let ports = ProtectedPorts(folder: folder("new"))
        #expect(!ports.contains(8327))
        var port: ProtectedPort? = try ports.protect(8327)
        #expect(ports.contains(8327))
        #expect(!ports.contains(8328))
        #expect(ProtectedPorts(folder: folder("new")).contains(8327))
        _ = port
        port = nil
        #expect(!ports.contains(8327))
        #expect(try FileSystem.names(in: folder("new")).isEmpty)
    }

    @Test("the end of a registration removes its own file only, once")
    func removed() throws {
        let folder = try TemporaryFolder()
        let ports = ProtectedPorts(folder: folder("own"))
        let first = try ports.protect(9)
        let opened = try PrivateFolder(folder("own"), creates: false).makeFile("inspector-9")
        #expect(try !opened.isRemoved)
        first.release()
        // A program that had just opened the file notices that it has to make another one.
        #expect(try opened.lock())
        #expect(try opened.isRemoved)
        let second = try ports.protect(9)
        first.release()
        #expect(ports.contains(9))
        #expect(try FileSystem.names(in: folder("own")) == ["inspector-9"])
        second.release()
        #expect(!ports.contains(9))
    }

    @Test("the file of a program that has ended has no effect, and is used again")
    func stale() throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("own"))
        try folder.write("", to: "own/inspector-9")
        let ports = ProtectedPorts(folder: folder("own"))
        #expect(!ports.contains(9))
        let port = try ports.protect(9)
        #expect(ports.contains(9))
        _ = port
    }

    @Test(
        "a folder that others may use is refused, and ports count as protected",
        arguments: [true, false]
    )
    func unsafeFolder(isLink: Bool) throws {
        let folder = try TemporaryFolder()
        _ = try command("mkdir", ["-m", isLink ? "700" : "777", folder("target")])
        if isLink { _ = try command("ln", ["-s", folder("target"), folder("link")]) }
        let ports = ProtectedPorts(folder: folder(isLink ? "link" : "target"))
        #expect(throws: ProtectedPortError.self) { try ports.protect(9) }
        #expect(try FileSystem.names(in: folder("target")).isEmpty)
        // A link may be that of another user, who must not be able to block ports.
        #expect(ports.contains(9) != isLink)
    }

    @Test("a port stays protected until the last of its programs ends, whatever their order")
    func shared() throws {
        let folder = try TemporaryFolder()
        let ports = ProtectedPorts(folder: folder("own"))
        for isFirstLeft in [true, false] {
            var registered: [ProtectedPort] = try (0..<3).map { _ in try ports.protect(9) }
            while !registered.isEmpty {
                #expect(ports.contains(9))
                _ = isFirstLeft ? registered.removeFirst() : registered.removeLast()
            }
            #expect(!ports.contains(9))
        }
        let all = try (0..<8).map { _ in try ports.protect(9) }
        #expect(throws: ProtectedPortError.self) { try ports.protect(9) }
        withExtendedLifetime(all) {}
    }

    @Test("proxies that ask at the same time do not mistake each other for an inspector")
    func asking() throws {
        let folder = try TemporaryFolder()
        let own = try PrivateFolder(folder("own"), creates: true)
        let file = try own.makeFile("inspector-9")
        #expect(try file.lockShared())
        #expect(!ProtectedPorts(folder: folder("own")).contains(9))
    }

    @Test("the folder is that of the user's session, or one in /tmp")
    func folders() throws {
        let folder = try TemporaryFolder()
        let ports = ProtectedPorts.ofUser(["XDG_RUNTIME_DIR": folder.path])
        let port = try ports.protect(9)
        #expect(try FileSystem.names(in: folder("tapline")) == ["inspector-9"])
        _ = port
        #expect(!ProtectedPorts.ofUser(["XDG_RUNTIME_DIR": "relative"]).contains(1))
    }
}
