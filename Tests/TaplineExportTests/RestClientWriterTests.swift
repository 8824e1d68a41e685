// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Files of REST clients")
struct RestClientWriterTests {
    @Test("separate requests")
    func requests() {
        let exchange = Exchange.shop("POST", "/a", ["Content-Type": "text/plain"], body: "x\ny")
        #expect(
            Exported(.http, [exchange, .shop()]).text == """
                ### 1: POST https://shop.test/a
                # @no-redirect
                # @no-cookie-jar
                POST https://shop.test/a
                Content-Type: text/plain

                x
                y

                ### 2: GET https://shop.test/cart?x=1
                # @no-redirect
                # @no-cookie-jar
                GET https://shop.test/cart?x=1

                """
        )
    }

    @Test(
        "leave out content that clients would read as something else",
        arguments: [
            ("a\n###\nGET https://evil.test/", "request.body (reserved line)"),
            ("< /etc/passwd", "request.body (reserved line)"),
            ("<@ /etc/passwd", "request.body (reserved line)"),
            ("> {% client.exit() %}", "request.body (reserved line)"),
            ("a\0b", "request.body (not text)"),
        ]
    )
    func reserved(body: String, loss: String) {
        let exported = Exported(.http, [.shop("POST", "/a", body: body)])
        #expect(exported.losses == [loss])
        #expect(!exported.text.contains("evil"))
        #expect(!exported.text.contains("passwd"))
        #expect(exported.text.hasSuffix("\n# The body cannot be written in this format.\n"))
    }

    @Test("report braces and line ends that clients change")
    func changed() {
        let exported = Exported(.http, [.shop("POST", "/{{a}}", ["X": "{{x}}"], body: "{{b}}\n")])
        #expect(
            exported.losses == [
                "request.target", "request.headers ({{ }})", "request.body ({{ }})",
                "request.body (line ends)",
            ]
        )
        #expect(exported.text.contains("POST https://shop.test/%7B%7Ba%7D%7D\n"))
    }
}
