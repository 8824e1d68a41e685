// SPDX-License-Identifier: MIT

import TaplineNet
import TestSupport
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "1.2.3.4", "::", "::1", "1::", "fe80::1",
        "2001:db8::8:800:200c:417a", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1:0:0:2::3",
        "::2:3:4:5:6:7:8", "64:ff9b::1",
    ])
    func writesCanonicalTextUnchanged(_ text: String) throws {
        var expected = text
        // RFC 5952 §4.2.2: one group of zeros is not shortened.
        if text == "::2:3:4:5:6:7:8" { expected = "0:2:3:4:5:6:7:8" }
        #expect(try #require(IPAddress(text)).description == expected)
    }

    @Test(arguments: [
        ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
        ("0:0:0:0:0:0:0:0", "::"), ("::ffff:c000:201", "::ffff:192.0.2.1"),
        ("::1.2.3.4", "::102:304"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"),
    ])
    func writesTheCanonicalForm(_ text: String, _ canonical: String) throws {
        #expect(try #require(IPAddress(text)).description == canonical)
    }

    @Test(arguments: [
        "", ".", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "0x7f.0.0.1",
        "1..2.3", ".1.2.3", "1.2.3.", "127.1", "2130706433", ":", ":::", "1:", ":1", "1:2",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1::2", "12345::", "g::",
        "::1%lo", "[::1]", "::1.2.3", "::1.2.3.4.5", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:5",
        "1:2:3:4:5:6:7::1.2.3.4", "localhost", "1.2.3.4\0", "::\u{661}",
    ])
    func refusesInvalidLiterals(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func unmapsMappedAddresses() throws {
        let mapped = try #require(IPAddress("::ffff:127.0.0.1"))
        #expect(mapped != .loopbackV4)
        #expect(mapped.unmapped == .loopbackV4)
        #expect(mapped.isLoopback)
        #expect(IPAddress.loopbackV6.isLoopback)
        #expect(try #require(IPAddress("127.255.1.2")).isLoopback)
        #expect(!(try #require(IPAddress("128.0.0.1")).isLoopback))
        #expect(IPAddress.anyV4.isAny && IPAddress.anyV6.isAny)
        #expect(!IPAddress.loopbackV6.isAny)
        #expect(try #require(IPAddress("ff02::1")).isMulticast)
        #expect(try #require(IPAddress("::ffff:224.0.0.1")).isMulticast)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("0.0.0.0", true), ("::", true),
        ("::ffff:127.0.0.1", true), ("::ffff:0.0.0.0", true), ("8.8.8.8", false),
        ("203.0.113.9", false), ("::ffff:203.0.113.9", false), ("2606:4700::1111", false),
        ("255.255.255.255", false),
    ])
    func recognisesAddressesOfTheMachine(_ text: String, _ isOwn: Bool) throws {
        #expect(try #require(IPAddress(text)).isOfThisMachine == isOwn)
    }

    @Test func recognisesTheInterfacesOfTheMachine() throws {
        let output = try Python.run("own_address")
        let own = try #require(IPAddress(String(output.dropLast())))
        #expect(own.isOfThisMachine)
        let mapped = IPAddress(v6High: 0, low: 0xFFFF_0000_0000 | own.low)
        #expect(mapped.isOfThisMachine)
        let other = IPAddress(v4: UInt32(truncatingIfNeeded: own.low) ^ 0xFF00_0000)
        #expect(!other.isOfThisMachine)
    }

    @Test(arguments: [
        ("10.1.2.3", true), ("172.31.255.255", true), ("172.32.0.0", false),
        ("192.168.0.1", true), ("169.254.169.254", true), ("100.64.0.1", true),
        ("8.8.8.8", false), ("0.0.0.0", true), ("::", true), ("::1", true),
        ("::ffff:10.0.0.1", true), ("::ffff:8.8.8.8", false), ("fd00::1", true),
        ("2606:4700::1111", false), ("64:ff9b::a00:1", true), ("2002:a00:1::", true),
    ])
    func recognisesPrivateAddresses(_ text: String, _ isPrivate: Bool) throws {
        #expect(try #require(IPAddress(text)).isPrivate == isPrivate)
    }
}
