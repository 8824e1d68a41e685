// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import TaplineFormats

/// Bodies in readable form.
@Suite struct ReadableContentTests {
    private func text(_ bytes: [UInt8], type: String? = nil, coding: ByteString = "") -> String? {
        let body = Body(bytes: bytes, size: bytes.count, coding: coding)
        let fields = FieldSection(type.map { [(name: "Content-Type", value: $0)] } ?? [])
        return ReadableContent(body, fields, limit: 1 << 20)?.text
    }

    @Test func jsonIsIndented() {
        #expect(text(Array(#"{"a":1}"#.utf8)) == "{\n  \"a\": 1\n}")
        #expect(text(Array("7".utf8), type: "application/json") == "7")
        #expect(text(Array(#"{"a":"#.utf8), type: "application/json") == #"{"a":"#)
    }

    @Test func codingsAreDecoded() throws {
        var coded: [UInt8] = []
        try ContentEncoder(.gzip).encodeWhole(Array("some text".utf8).span, appendingTo: &coded)
        #expect(text(coded, coding: "gzip") == "some text")
        #expect(text(Array("not gzip".utf8), coding: "gzip") == nil)
        let half = Array(coded.dropLast(4))
        let content = try #require(
            ReadableContent(Body(bytes: half, size: nil, coding: "gzip"), [:], limit: 1 << 20)
        )
        #expect(content.text == "some text" && !content.isWhole)
    }

    @Test func binaryContentIsOnlyNamed() {
        #expect(text([0, 1, 2, 3]) == "(4 bytes)")
        #expect(text(Array("GIF89a".utf8), type: "image/gif") == "(6 bytes of image/gif)")
        #expect(text(Array("<svg/>".utf8), type: "image/svg+xml") == "<svg/>")
        // One unusual byte does not make text binary, nor does a character that is cut off.
        #expect(text(Array("a bell \u{7} rings".utf8)) == "a bell \u{7} rings")
        #expect(text([0x61, 0xE2, 0x82]) == "a\u{FFFD}")
    }
}
