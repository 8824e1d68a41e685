// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Markdown")
struct MarkdownWriterTests {
    @Test("shows an exchange")
    func exchange() {
        #expect(
            Exported(.markdown, [.shop("POST", "/a", ["X": "1"], body: "[1]")]).text == """
                ### `POST https://shop.test/a` → 200

                - started 2027-01-15T08:00:00.123456Z
                - id `01931234-5678-7abc-8def-0123456789ab`
                - took 15.5 ms

                **Request**

                ```http
                POST /a HTTP/1.1
                X: 1

                [
                  1
                ]
                ```

                **Response**

                ```http
                HTTP/1.1 200 \("")
                Content-Type: application/json

                {
                  "ok": true
                }
                ```

                """
        )
    }

    @Test("leaves out versions that are not known")
    func versions() {
        var exchange = Exchange.shop()
        exchange.request.version = ByteString()
        exchange.response?.version = ByteString()
        let text = Exported(.markdown, [exchange]).text
        #expect(text.contains("```http\nGET \(exchange.request.target)\n"))
        #expect(text.contains("```http\n200 "))
    }

    @Test("has fences and code that backticks in texts do not end")
    func fences() {
        #expect(MarkdownWriter.fenced("a\n````\n").hasPrefix("`````http\n"))
        #expect(MarkdownWriter.code("a`b") == "``a`b``")
        #expect(MarkdownWriter.code("`") == "`` ` ``")
        #expect(MarkdownWriter.code("a\nb\u{1B}") == "`a b\u{FFFD}`")
    }

    @Test("names binary content, and cuts long content")
    func content() {
        var exchange = Exchange.shop()
        exchange.response?.body = Body(Array(repeating: 0, count: 100))
        exchange.request.body = Body(Array(repeating: .ascii("x"), count: 20_000))
        exchange.request.body.coding = "br"
        let exported = Exported(.markdown, [exchange])
        #expect(exported.losses == ["request.body (not decodable)", "response.body (binary)"])
        #expect(exported.text.contains("(20000 bytes that cannot be decoded)"))
        #expect(exported.text.contains("(100 bytes of application/json)"))
    }
}
