// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import Testing

@testable import StdoutSink

@Suite struct BodyPreviewTests {
    func bodyLines(_ body: Body, type: String, maxBody: Int = 4096) -> [String] {
        var preview = BodyPreview(limit: maxBody)
        var text = TerminalText(isColoured: false)
        preview.write(body, ["Content-Type": type], to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test func typeMayComeFromTheRecordingOnly() {
        var preview = BodyPreview(limit: 4096)
        var text = TerminalText(isColoured: false)
        let body = Body(bytes: [1, 2, 3], size: 3, contentType: "image/png; x=1")
        preview.write(body, [:], to: &text)
        #expect(String(decoding: text.bytes, as: UTF8.self) == "    (3 B, image/png)\n")
    }

    @Test func indentsCompressedJSON() throws {
        let json = #"{"a":[1,2],"b":"\u001b[31m"}"#
        let coded = try ContentCoding.gzip.encode(json.utf8.span)
        let body = Body(bytes: coded, size: coded.count, coding: "gzip")
        #expect(
            bodyLines(body, type: "application/problem+json") == [
                "    {", "      \"a\": [", "        1,", "        2", "      ],",
                "      \"b\": \"\\u001b[31m\"", "    }",
            ]
        )
    }

    @Test func decodesTheStartOfATruncatedBody() throws {
        let text = String(repeating: "0123456789 abcdefghij\n", count: 20_000)
        let coded = try ContentCoding.gzip.encode(text.utf8.span)
        let half = Array(coded[..<(coded.count / 2)])
        let body = Body(bytes: half, size: coded.count, coding: "gzip", isTruncated: true)
        let lines = bodyLines(body, type: "text/plain", maxBody: 44)
        #expect(lines.prefix(2) == ["    0123456789 abcdefghij", "    0123456789 abcdefghij"])
        #expect(lines.count == 3)
    }

    @Test func showsTruncatedJSONUnchanged() throws {
        let body = Body(bytes: Array(#"{"a": "b"#.utf8), size: 5000, isTruncated: true)
        #expect(
            bodyLines(body, type: "application/json")
                == [#"    {"a": "b"#, "    (4.8 KiB in all)"]
        )
    }

    @Test func truncatesLongBodies() throws {
        let body = Body(Array(String(repeating: "0123456789\n", count: 1000).utf8))
        let lines = bodyLines(body, type: "text/plain", maxBody: 25)
        #expect(lines == ["    0123456789", "    0123456789", "    012", "    (10.7 KiB in all)"])
        let json = Body(
            Array("[\(Array(repeating: "1", count: 1000).joined(separator: ","))]".utf8)
        )
        let laidOut = bodyLines(json, type: "application/json", maxBody: 12)
        #expect(laidOut == ["    [", "      1,", "      1,", "    (1.9 KiB in all)"])
    }

    @Test func showsOnlyTypeAndSizeOfBinaryContent() throws {
        let image = Body(Array(repeating: 0x41, count: 2048))
        #expect(bodyLines(image, type: "image/png") == ["    (2.0 KiB, image/png)"])
        let zeros = Body(Array(repeating: 0, count: 100))
        #expect(bodyLines(zeros, type: "text/plain") == ["    (100 B, text/plain)"])
    }

    @Test func showsLatin1AsEscapes() throws {
        let body = Body([0x67, 0x72, 0xFC, 0x6E, 0x09, 0x1B, 0x5B] + Array("0123456789abc".utf8))
        #expect(
            bodyLines(body, type: "text/plain") == [#"    gr\xfcn    \x1b[0123456789abc"#]
        )
    }

    @Test func reportsUndecodableBodies() throws {
        let body = Body(bytes: Array("no gzip".utf8), size: 7, coding: "gzip")
        #expect(
            bodyLines(body, type: "text/plain") == ["    (7 B in gzip, cannot be decoded)"]
        )
        let uncaptured = Body(bytes: [], size: 70_000, isTruncated: true)
        #expect(bodyLines(uncaptured, type: "text/plain") == ["    (68.3 KiB, not kept)"])
    }
}
