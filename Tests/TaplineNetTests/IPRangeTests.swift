// SPDX-License-Identifier: MIT

import TaplineNet
import Testing

@Suite struct IPRangeTests {
    @Test func containsAddressesWithItsPrefix() throws {
        let range = try #require(IPRange("10.20.30.40/13"))
        #expect(range.description == "10.16.0.0/13")
        #expect(range.contains(try #require(IPAddress("10.23.255.255"))))
        #expect(!range.contains(try #require(IPAddress("10.24.0.0"))))
        #expect(range.contains(try #require(IPAddress("::ffff:10.16.0.1"))))
        #expect(!range.contains(.loopbackV6))
    }

    @Test func mayContainAllAddressesOrOne() throws {
        #expect(try #require(IPRange("0.0.0.0/0")).contains(.loopbackV4))
        #expect(!(try #require(IPRange("0.0.0.0/0")).contains(.loopbackV6)))
        #expect(try #require(IPRange("::/0")).contains(.loopbackV6))
        #expect(!(try #require(IPRange("::/0")).contains(.loopbackV4)))
        let one = try #require(IPRange("::1"))
        #expect(one.prefix == 128)
        #expect(one.contains(.loopbackV6))
        #expect(!one.contains(.anyV6))
        let wide = try #require(IPRange("2001:db8:1::/65"))
        #expect(wide.contains(try #require(IPAddress("2001:db8:1::7fff:0:0:1"))))
        #expect(!wide.contains(try #require(IPAddress("2001:db8:1:0:8000::"))))
    }

    @Test(arguments: [
        "", "/", "1.2.3.4/", "1.2.3.4/33", "::/129", "1.2.3.4/-1", "1.2.3.4/+1", "a/8",
    ])
    func refusesInvalidRanges(_ text: String) {
        #expect(IPRange(text) == nil)
    }
}
