// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Files of GoReplay")
struct GorWriterTests {
    @Test("have requests and responses as in HTTP/1.1")
    func messages() {
        var exchange = Exchange.shop(
            "POST",
            "/a",
            ["X": "1", "Transfer-Encoding": "chunked"],
            body: "b\n"
        )
        exchange.request.version = "HTTP/2"
        let exported = Exported(.gor, [exchange])
        let id = "56787abc8def0123456789ab"
        #expect(
            exported.text
                == "1 \(id) 1800000000123456000 0\nPOST /a HTTP/1.1\r\nHost: shop.test\r\n"
                + "X: 1\r\nContent-Length: 2\r\n\r\nb\n\n🐵🙈🙉\n"
                + "2 \(id) 1800000000138956000 15500000\nHTTP/1.1 200 OK\r\n"
                + "Content-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}\n🐵🙈🙉\n"
        )
        #expect(exported.losses == ["request.headers (connection)", "request.scheme"])
    }

    @Test("report content with the separator in it", arguments: ["a\n🐵🙈🙉\nb", "a\n🐵🙈🙉"])
    func separator(body: String) {
        let exported = Exported(.gor, [.shop("POST", "/a", body: body)])
        #expect(exported.losses.contains("message (separator)"))
    }
}
