// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct VerboseBlockTests {
    /// All lines below the first.
    func block(_ exchange: Exchange, maxBody: Int = 4096) throws -> [String] {
        let text = try shown(exchange, maxBody: maxBody)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            .map(String.init)
    }

    func bodyLines(_ body: Body, type: String, maxBody: Int = 4096) throws -> [String] {
        let lines = try block(
            exchange {
                $0.response?.fields = ["Content-Type": type]
                $0.response?.body = body
            },
            maxBody: maxBody
        )
        let start = try #require(lines.lastIndex { $0.hasPrefix("    Content-Type: \(type)") })
        return Array(lines[(start + 1)...].dropLast(2))
    }

    @Test func showsHeadsAndBodies() throws {
        let whole = exchange {
            $0.tags["team"] = "checkout"
            $0.response?.interim = [InterimResponse(status: 103, fields: ["Link": "</a.css>"])]
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
                "  < HTTP/1.1 103 ",
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

    @Test func laysOutCompressedJSON() throws {
        let json = #"{"a":[1,2],"b":"\u001b[31m"}"#
        let coded = try ContentCoding.gzip.encode(json.utf8.span)
        let body = Body(bytes: coded, size: coded.count, coding: "gzip")
        #expect(
            try bodyLines(body, type: "application/problem+json") == [
                "    {", "      \"a\": [", "        1,", "        2", "      ],",
                "      \"b\": \"\\u001b[31m\"", "    }",
            ]
        )
    }

    @Test func showsJSONThatIsCutAsItComes() throws {
        let body = Body(bytes: Array(#"{"a": "b"#.utf8), size: 5000, isTruncated: true)
        #expect(
            try bodyLines(body, type: "application/json")
                == [#"    {"a": "b"#, "    (4.8 KiB in all)"]
        )
    }

    @Test func cutsLongBodies() throws {
        let body = Body(Array(String(repeating: "0123456789\n", count: 1000).utf8))
        let lines = try bodyLines(body, type: "text/plain", maxBody: 25)
        #expect(lines == ["    0123456789", "    0123456789", "    012", "    (10.7 KiB in all)"])
        let json = Body(
            Array("[\(Array(repeating: "1", count: 1000).joined(separator: ","))]".utf8)
        )
        let laidOut = try bodyLines(json, type: "application/json", maxBody: 12)
        #expect(laidOut == ["    [", "      1,", "      1,", "    (1.9 KiB in all)"])
    }

    @Test func namesBinaryContentOnly() throws {
        let image = Body(Array(repeating: 0x41, count: 2048))
        #expect(try bodyLines(image, type: "image/png") == ["    (2.0 KiB, image/png)"])
        let zeros = Body(Array(repeating: 0, count: 100))
        #expect(try bodyLines(zeros, type: "text/plain") == ["    (100 B, text/plain)"])
    }

    @Test func showsLatin1AsEscapes() throws {
        let body = Body([0x67, 0x72, 0xFC, 0x6E, 0x09, 0x1B, 0x5B] + Array("0123456789abc".utf8))
        #expect(
            try bodyLines(body, type: "text/plain") == [#"    gr\xfcn    \x1b[0123456789abc"#]
        )
    }

    @Test func saysWhatCannotBeDecoded() throws {
        let body = Body(bytes: Array("no gzip".utf8), size: 7, coding: "gzip")
        #expect(
            try bodyLines(body, type: "text/plain") == ["    (7 B in gzip, cannot be decoded)"]
        )
        let unkept = Body(bytes: [], size: 70_000, isTruncated: true)
        #expect(try bodyLines(unkept, type: "text/plain") == ["    (68.3 KiB, not kept)"])
    }

    @Test func showsMessages() throws {
        let lines = try block(
            exchange {
                $0.messages = [
                    StreamMessage(direction: .up, bytes: Array("hi\u{1B}".utf8)),
                    StreamMessage(direction: .down, type: "binary", bytes: [1, 2, 3]),
                ]
                $0.messages += Array(
                    repeating: StreamMessage(direction: .down, bytes: []),
                    count: 60
                )
            }
        )
        #expect(lines.contains(#"  > text 3 B hi\x1b"#))
        #expect(lines.contains("  < binary 3 B "))
        #expect(lines.contains("    (12 more messages)"))
    }

    /// Escapes, control characters and bytes that are no UTF-8 at every place that holds traffic.
    @Test func letsNoControlCharacterPassAnywhere() throws {
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
