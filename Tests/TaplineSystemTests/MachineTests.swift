// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineSystem

@Suite("The machine")
struct MachineTests {
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 21507 1 0
           1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 21508 1 0
           2: 00000000000000000000000001000000:1F90 00000000:0000 0A 0:0 0:0 0 1000 0 21509 1 0
           3: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 21510 1 0
        """

    @Test("a table of sockets names the inodes that listen on a port")
    func inodes() {
        #expect(PortHolder.inodes(listeningOn: 8080, in: Self.table) == [21507, 21509])
        #expect(PortHolder.inodes(listeningOn: 8081, in: Self.table) == [21510])
        #expect(PortHolder.inodes(listeningOn: 80, in: Self.table).isEmpty)
    }

    @Test(
        "a malformed table of sockets names none",
        arguments: [
            "", "\n\n", "0: 1F90 0 0A 0 0 0 0 0 7", "0: A:1F90 0 0A 0 0 0 0 0 x",
            "0: A:1F90 0 0A 0 0 0 0 0", "0: A:FFFFF 0 0A 0 0 0 0 0 7", "0: A:1F90 0 0A 0 0 0 0 0 0",
        ]
    )
    func malformed(text: String) {
        #expect(PortHolder.inodes(listeningOn: 8080, in: text).isEmpty)
    }

    @Test(
        "a memory limit is read from memory.max",
        arguments: [
            ("1048576\n", 1_048_576), ("max\n", nil), ("", nil), ("-1", nil), ("0", nil),
            ("99999999999999999999999", nil), ("1 2", nil),
        ] as [(String, Int?)]
    )
    func memory(text: String, bytes: Int?) {
        #expect(MemoryQuota.limit(text) == bytes)
    }

    @Test("the limits of descriptors are above the number of open ones")
    func descriptors() throws {
        let limits = try #require(DescriptorLimits.current)
        #expect(limits.soft <= limits.hard)
        #expect(limits.soft > ProcessFigures().descriptors ?? 0)
    }

    @Test("a folder that is written has space, and one that is missing has none")
    func space() throws {
        try withTemporaryFolder { folder in
            let space = try #require(FileSystemSpace(of: folder))
            #expect(!space.isReadOnly)
            #expect(space.freeBytes > 0)
            #expect(FileSystemSpace(of: "\(folder)/none") == nil)
        }
    }

    @Test("text of the kernel is read up to a limit")
    func text() throws {
        try withTemporaryFolder { folder in
            try File("\(folder)/a", for: .create).write("abcdef".utf8.span)
            #expect(KernelFile.text(of: "\(folder)/a", maxBytes: 4) == "abcd")
            #expect(KernelFile.text(of: "\(folder)/a") == "abcdef")
            #expect(KernelFile.text(of: "\(folder)/b") == nil)
            #expect(KernelFile.text(of: folder) == nil)
        }
    }
}
