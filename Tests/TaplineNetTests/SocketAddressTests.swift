// SPDX-License-Identifier: MIT

import TaplineNet
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: ["127.0.0.1:80", "[::1]:65535", "0.0.0.0:0"])
    func writesCanonicalTextUnchanged(_ text: String) throws {
        #expect(try #require(SocketAddress(text)).description == text)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:", ":80", "::1:80", "[127.0.0.1]:80", "[::1]", "[::1]80",
        "127.0.0.1:65536", "127.0.0.1:+1", "[]:80", "localhost:80",
    ])
    func refusesInvalidAddresses(_ text: String) {
        #expect(SocketAddress(text) == nil)
    }
}
