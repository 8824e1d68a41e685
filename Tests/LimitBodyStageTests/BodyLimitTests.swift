// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import LimitBodyStage

@Suite struct BodyLimitTests {
    private func cut(_ body: Body, _ limit: BodyLimit, type: String = "text/plain") -> Body {
        var body = body
        limit.cut(&body, ["Content-Type": type])
        return body
    }

    @Test(arguments: [
        ("hello", 5, "hello"), ("hello", 4, "hell"), ("hello", 0, ""), ("aé", 3, "aé"),
        ("aé", 2, "a"), ("aéb", 3, "aé"), ("a€b", 3, "a"), ("a€b", 2, "a"), ("a€b", 4, "a€"),
        ("😀b", 3, ""), ("😀b", 4, "😀"), ("b😀c", 4, "b"), ("e\u{301}x", 1, "e"),
    ])
    func textIsCutBetweenCharacters(text: String, limit: Int, expected: String) {
        let body = cut(Body(Array(text.utf8)), BodyLimit(maxBytes: limit, skip: []))
        #expect(String(decoding: body.bytes, as: UTF8.self) == expected)
        #expect(body.isTruncated == (expected != text))
        #expect(body.size == text.utf8.count)
    }

    @Test func utf8StaysValidAtAnyLimit() {
        let text = "aé€😀z\u{301}ß"
        for limit in 0...text.utf8.count {
            let kept = BodyLimit.keptCount(of: text.utf8.span, limit)
            #expect(kept <= limit && kept > limit - 4)
            #expect(String(validating: Array(text.utf8).prefix(kept), as: UTF8.self) != nil)
        }
    }

    @Test func binaryBytesAreCutAtTheLimit() {
        let bytes = [UInt8](repeating: 0x80, count: 20)
        for limit in 0...20 {
            #expect(BodyLimit.keptCount(of: bytes.span, limit) == limit)
        }
        // A lead byte whose character ends before the cut.
        #expect(BodyLimit.keptCount(of: ([0xC3, 0x80, 0x80] as [UInt8]).span, 2) == 2)
    }

    @Test func skippedTypesKeepTheirSize() {
        let limit = BodyLimit(maxBytes: 100, skip: [Glob("image/*", ignoringCase: true)])
        let body = cut(
            Body(bytes: [1, 2, 3], size: 9, coding: "gzip"),
            limit,
            type: "Image/PNG; x=1"
        )
        #expect(body.bytes.isEmpty)
        #expect(body.isTruncated)
        #expect(body.size == 9)
        #expect(body.coding == "gzip")
        #expect(cut(Body([1]), limit, type: "text/html").bytes == [1])
        #expect(cut(Body([]), limit, type: "image/png") == Body([]))
    }

    @Test func typesKnownFromARecordingAreAlsoSkipped() {
        let limit = BodyLimit(maxBytes: 100, skip: [Glob("image/*", ignoringCase: true)])
        var body = Body([1, 2, 3])
        body.contentType = "image/png"
        limit.cut(&body, [:])
        #expect(body.bytes.isEmpty && body.contentType == "image/png")
        body.bytes = [1]
        limit.cut(&body, ["Content-Type": "text/plain"])
        #expect(body.bytes == [1])
    }

    @Test func theSizeOfDecodedBodiesIsRecorded() {
        let limit = BodyLimit(maxBytes: 1, skip: [])
        #expect(cut(Body(bytes: [1, 2], size: nil), limit).decodedSize == 2)
        #expect(cut(Body(bytes: [1, 2], size: nil, coding: "br"), limit).decodedSize == nil)
        #expect(cut(Body(bytes: [1, 2], size: nil, isTruncated: true), limit).decodedSize == nil)
        #expect(cut(Body(bytes: [1, 2], size: 1, decodedSize: 7), limit).decodedSize == 7)
    }

    @Test func messagesAreTruncated() {
        var message = StreamMessage(direction: .up, bytes: Array("aé".utf8))
        BodyLimit(maxBytes: 2, skip: []).cut(&message)
        #expect(message.bytes == Array("a".utf8))
        #expect(message.size == 3)
        #expect(message.isTruncated)
        BodyLimit(maxBytes: 0, skip: []).cut(&message)
        #expect(message.size == 3)
    }
}
