// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for bodies of every framing.
@Suite
struct BodyDecoderTests {
    static let chunked =
        "5\r\nhello\r\n1;a=\"b;\\\"\";c\r\n,\r\n00A \t;x\r\n0123456789\r\n0\r\nX: 1\r\nY:\r\n\r\n"

    @Test func chunksAndTrailers() throws {
        let body = try ReadBody(Self.chunked + "GET")
        #expect(body.text == "hello,0123456789")
        #expect(body.ended)
        #expect(body.consumed == Self.chunked.utf8.count)
        #expect(body.trailers == ["X": "1", "Y": ""])
    }

    @Test func theSplitMakesNoDifference() throws {
        let text = Self.chunked + "GET"
        let whole = try ReadBody(text)
        for cut in Parsing.cuts(text.utf8.count) {
            #expect(try ReadBody(text, endingAt: cut) == whole)
        }
    }

    @Test func aLengthEndsTheBody() throws {
        let body = try ReadBody("hello, more", .length(5))
        #expect(body.text == "hello")
        #expect(body.ended)
        #expect(try ReadBody("x", .none).consumed == 0)
        #expect(try ReadBody("x", .length(0)).ended)
        #expect(try !ReadBody("abc", .length(5)).ended)
    }

    @Test func theConnectionEndsABodyWithoutALength() throws {
        #expect(try ReadBody("abc", .untilClose).text == "abc")
        var decoder = BodyDecoder(.untilClose, .response)
        let before = decoder.isEnded
        try decoder.connectionEnded()
        let after = decoder.isEnded
        #expect(!before && after)
    }

    @Test func anEarlyEndIsAnError() throws {
        var decoder = BodyDecoder(.length(3), .response)
        let error = #expect(throws: HTTPError.self) { try decoder.connectionEnded() }
        #expect(error?.code == .truncatedBody)
        #expect(error?.status == 502)
    }
}
