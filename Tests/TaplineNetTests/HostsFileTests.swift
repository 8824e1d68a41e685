// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineNet

@Suite("The hosts file")
struct HostsFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ text: String) throws -> HostsFile {
        HostsFile(try folder.write(text, to: "hosts"))
    }

    private func addresses(_ name: String, in file: inout HostsFile) -> [String]? {
        file.addresses(of: name).map { $0.map { "\($0.ip)" } }
    }

    @Test("has several names for an address, in any case, and ignores comments")
    func lines() throws {
        var file = try file(
            """
            # 10.0.0.9 commented.test
            10.0.0.1\tShop.test   www.shop.test # alias.test

              10.0.0.2 other.test\r
            no-address shop.test
            10.0.0.3
            """
        )
        #expect(addresses("shop.test", in: &file) == ["10.0.0.1"])
        #expect(addresses("www.shop.test.", in: &file) == ["10.0.0.1"])
        #expect(addresses("other.test", in: &file) == ["10.0.0.2"])
        for name in ["commented.test", "alias.test", "10.0.0.3", "test"] {
            #expect(addresses(name, in: &file) == nil, "\(name)")
        }
    }

    @Test("gives the addresses of a name once and in order, ::1 first")
    func order() throws {
        var file = try file(
            "127.0.0.1 a.test\n10.0.0.2 a.test\n::1 a.test\n10.0.0.1 a.test\n10.0.0.2 a.test\n"
        )
        #expect(
            addresses("a.test", in: &file) == ["::1", "127.0.0.1", "10.0.0.1", "10.0.0.2"]
        )
    }

    @Test("need not contain localhost and its subdomains")
    func localhost() throws {
        var file = try file("10.0.0.1 my.localhost\n")
        #expect(addresses("localhost", in: &file) == ["::1", "127.0.0.1"])
        #expect(addresses("a.b.localhost", in: &file) == ["::1", "127.0.0.1"])
        #expect(addresses("my.localhost", in: &file) == ["10.0.0.1"])
        #expect(addresses("notlocalhost", in: &file) == nil)
    }

    @Test("is read again when it has changed, and may be missing")
    func changes() throws {
        var file = HostsFile(folder("hosts"))
        #expect(addresses("a.test", in: &file) == nil)
        try folder.write("10.0.0.1 a.test", to: "hosts")
        #expect(addresses("a.test", in: &file) == ["10.0.0.1"])
        try folder.write("10.0.0.22 b.test", to: "hosts")
        #expect(addresses("a.test", in: &file) == nil)
        #expect(addresses("b.test", in: &file) == ["10.0.0.22"])
    }
}
