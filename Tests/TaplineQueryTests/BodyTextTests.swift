// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineQuery
import Testing

@Suite struct BodyTextTests {
    private static let text = Array((0..<400).map { "line \($0)\n" }.joined().utf8)

    private func exchange(_ bytes: [UInt8], coding: String) -> Exchange {
        var exchange = Samples.full()
        exchange.response?.body = Body(
            bytes: bytes,
            size: bytes.count,
            coding: ByteString(coding)
        )
        return exchange
    }

    @Test(arguments: [ContentCoding.gzip, .deflate, .zstd])
    func filtersSeeDecodedBodies(coding: ContentCoding) throws {
        let coded = try coding.encode(Self.text.span)
        let whole = exchange(coded, coding: coding.name)
        #expect(evaluate(#"response.body contains "line 399\n""#, whole) == true)
        #expect(evaluate(#"response.body ~ "^line 0\n""#, whole) == true)
        #expect(evaluate(#"response.body contains "line 400\n""#, whole) == false)
        let twice = exchange(
            try ContentCoding.gzip.encode(coded.span),
            coding: "\(coding.name), gzip"
        )
        #expect(evaluate(#"response.body contains "line 399\n""#, twice) == true)
    }

    @Test func filtersSeeTheDecodablePartOfATruncatedBody() throws {
        let coded = try ContentCoding.gzip.encode(Self.text.span)
        let cut = exchange(Array(coded.dropLast(20)), coding: "gzip")
        #expect(evaluate(#"response.body contains "line 0\n""#, cut) == true)
    }

    @Test func aBodyThatCannotBeDecodedIsAbsent() {
        let unknown = exchange(Self.text, coding: "x-own")
        #expect(evaluate(#"response.body contains "line""#, unknown) == false)
        #expect(evaluate("response.body exists", unknown) == true)
    }

    @Test func decodingIsLimited() throws {
        var limits = FilterLimits()
        limits.maxDecodedBytes = 100
        let coded = exchange(try ContentCoding.gzip.encode(Self.text.span), coding: "gzip")
        let early = try Filter(#"response.body contains "line 0\n""#, limits: limits)
        let late = try Filter(#"response.body contains "line 399\n""#, limits: limits)
        #expect(early.matches(coded))
        #expect(!late.matches(coded))
    }
}
