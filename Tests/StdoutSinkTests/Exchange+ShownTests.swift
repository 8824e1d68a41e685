// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct ExchangeShownTests {
    @Test(arguments: [
        ("GET", "/a?b=c#d", "shop.test", "shop.test/a?b=c"),
        ("GET", "http://shop.test/a", "shop.test", "shop.test/a"),
        ("GET", "/a", "joe:pw@shop.test:81", "shop.test:81/a"),
        ("CONNECT", "shop.test:443", "shop.test:443", "shop.test:443"),
        ("CONNECT", "shop.test:443", "", "shop.test:443"),
        ("OPTIONS", "*", "shop.test", "shop.test*"),
        ("GET", "", "", ""), ("GET", "?", "", ""),
    ])
    func showsHostPathAndQuery(method: String, target: String, authority: String, shown: String) {
        let request = Request(
            method: ByteString(method),
            target: ByteString(target),
            scheme: "",
            authority: ByteString(authority)
        )
        #expect(String(decoding: request.shortTarget, as: UTF8.self) == shown)
    }

    @Test func prefersTheSizeOnTheWire() {
        #expect(Body().shownSize == nil)
        #expect(Body(bytes: [1, 2], size: 9, isTruncated: true).shownSize == 9)
        #expect(Body(bytes: [1, 2], size: nil).shownSize == 2)
        #expect(Body(bytes: [1, 2], size: nil, isTruncated: true).shownSize == nil)
        #expect(Body(bytes: [], size: 0).shownSize == 0)
    }

    /// An app captures decoded content; in chunks, the size on the wire is only estimated.
    @Test func showsTheEstimatedSizeOfADecodedBody() {
        var body = Body(bytes: [1, 2, 3], size: nil)
        body.decodedSize = 3
        var counts = ByteCounts(isExact: false)
        counts.down.body = 2
        let decoded = exchange {
            $0.response?.body = body
            $0.bytes = counts
        }
        #expect(decoded.shownResponseSize == 2)
        #expect(exchange { $0.response?.body = body }.shownResponseSize == 3)
    }

    @Test func hasAWordForEachFailure() {
        #expect(exchange().failureWord == nil)
        #expect(exchange { $0.state = .failed }.failureWord == "failed")
        #expect(exchange { $0.state = .cancelled }.failureWord == "cancelled")
        #expect(exchange { $0.error = ExchangeError(code: "dns") }.failureWord == "dns")
    }
}
