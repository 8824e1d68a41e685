// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct VerboseBlockTests {
    /// All lines after the first.
    func block(_ exchange: Exchange, maxBody: Int = 4096) throws -> [String] {
        let text = try shown(exchange, maxBody: maxBody)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            .map(String.init)
    }

    @Test func showsHeadsAndBodies() throws {
        let whole = exchange {
            $0.tags["team"] = "checkout"
            $0.response?.interim = [
                InterimResponse(status: 103, reason: "Early Hints", fields: ["Link": "</a.css>"])
            ]
            $0.response?.trailers = ["Digest": "x"]
            $0.error = ExchangeError(code: "late", message: "too late")
        }
        #expect(
            try block(whole) == [
                "  > POST https://shop.test/cart?x=1 HTTP/1.1",
                "    Host: shop.test",
                "    Content-Type: application/json",
                "    {",
                "      \"item\": 7",
                "    }",
                "  < HTTP/1.1 103 Early Hints",
                "    Link: </a.css>",
                "  < HTTP/1.1 201 Created",
                "    Content-Type: text/plain",
                "    done",
                "    Digest: x",
                "  # team=checkout",
                "  ! late: too late",
                "",
                "",
            ]
        )
    }

    @Test func showsMessages() throws {
        let lines = try block(
            exchange {
                $0.messages = [
                    StreamMessage(direction: .up, bytes: Array("hi\u{1B}".utf8)),
                    StreamMessage(direction: .down, type: "binary", bytes: [1, 2, 3]),
                    StreamMessage(
                        direction: .up,
                        type: "close",
                        code: 1001,
                        bytes: Array("bye".utf8)
                    ),
                ]
                $0.messages += Array(
                    repeating: StreamMessage(direction: .down, bytes: []),
                    count: 60
                )
            }
        )
        #expect(lines.contains(#"  > text 3 B hi\x1b"#))
        #expect(lines.contains("  < binary 3 B "))
        #expect(lines.contains("  > close 1001 3 B bye"))
        #expect(lines.contains("    (13 more messages)"))
    }

    /// Tests escapes, control characters and invalid UTF-8 in every place that contains traffic.
    @Test func escapesControlCharactersEverywhere() throws {
        let evil = "\u{1B}]0;x\u{07}\u{9B}2J\u{202E}\r\n\u{08}"
        var bytes = Array(evil.utf8)
        bytes += [0xFF, 0x9B]
        let odd = ByteString(bytes)
        let all = exchange {
            $0.request.method = odd
            $0.request.target = odd
            $0.request.authority = odd
            $0.request.version = odd
            var fields = FieldSection()
            fields.append(name: bytes.span, value: bytes.span)
            $0.request.fields = fields
            $0.request.body = Body(bytes + Array(repeating: 0x61, count: 200))
            $0.request.trailers = fields
            $0.response?.reason = odd
            $0.response?.version = odd
            $0.response?.fields = fields
            $0.response?.fields.append(name: "Content-Type".utf8.span, value: bytes.span)
            $0.response?.body = Body(
                Array("[\"".utf8) + Array("\u{202E}\u{7F}".utf8) + Array("\"]".utf8)
            )
            $0.messages = [StreamMessage(direction: .up, type: evil, bytes: bytes)]
            $0.tags[evil] = evil
            $0.error = ExchangeError(code: evil, message: evil)
        }
        for format in [OutputFormat.pretty, .compact, .ndjson] {
            let text = try shown(all, format, maxBody: 4096, width: 90, isTerminal: true)
            for scalar in text.unicodeScalars where scalar != "\n" {
                if scalar.isUnsafeOnTerminal { Issue.record("\(format) let \(scalar.value) pass") }
            }
        }
    }
}
