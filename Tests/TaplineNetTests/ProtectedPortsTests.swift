// SPDX-License-Identifier: MIT

import TaplineNet
import TaplineSystem
import TestSupport
import Testing

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
    }

    @Test("the file of a program that has ended has no effect, and is used again")
    func stale() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "inspector-9")
        let ports = ProtectedPorts(folder: folder.path)
        #expect(!ports.contains(9))
        let port = try ports.protect(9)
        #expect(ports.contains(9))
        _ = port
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
