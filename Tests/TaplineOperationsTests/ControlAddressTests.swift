// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineOperations

@Suite("The address of a control listener")
struct ControlAddressTests {
    @Test(
        "is one of loopback, or a socket",
        arguments: [
            ("127.0.0.1:9901", "127.0.0.1:9901"), ("localhost:1", "127.0.0.1:1"),
            ("[::1]:65535", "[::1]:65535"), ("127.8.0.1:0", "127.8.0.1:0"),
            ("unix:/run/tapline/control", "unix:/run/tapline/control"),
        ]
    )
    func good(text: String, written: String) {
        #expect(ControlAddress(text)?.description == written)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "9901", ":9901", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
            "127.0.0.1:+1", "0.0.0.0:9901", "10.0.0.1:9901", "[::]:9901", "::1:9901", "127.1:9901",
            "127.0.0.256:1", "127.0.0.01:1", "127.0.0.1.evil.test:1", "example.com:1", "unix:",
            "unix:/", "unix:relative", "unix:/\(String(repeating: "a", count: 100))",
        ]
    )
    func bad(text: String) {
        #expect(ControlAddress(text) == nil)
    }
}
