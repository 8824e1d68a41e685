// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

@Suite struct ByteStringMethodTests {
    @Test(
        "idempotent methods are those of RFC 9110, in capital letters",
        arguments: [
            ("GET", true), ("HEAD", true), ("OPTIONS", true), ("TRACE", true), ("PUT", true),
            ("DELETE", true), ("POST", false), ("PATCH", false), ("CONNECT", false),
            ("get", false), ("", false),
        ] as [(ByteString, Bool)]
    )
    func idempotent(method: ByteString, isIdempotent: Bool) {
        #expect(method.isIdempotent == isIdempotent)
    }
}
