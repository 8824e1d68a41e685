// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for refused chunked bodies, and for limits.
@Suite
struct ChunkRefusalTests {
    static let bodies: [Refusal] = [
        Refusal("9112 §7.1", "\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "g\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "-1\r\nx\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "+1\r\nx\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "0x1\r\nx\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "1_0\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", " 1\r\nx\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", ";a\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "1 \r\nx\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "1 1\r\nx\r\n", "invalid_chunk_size"),
        Refusal("9112 §7.1", "8000000000000000\r\n", "chunk_size_overflow"),
        Refusal("9112 §7.1", "10000000000000001\r\nx\r\n", "chunk_size_overflow"),
        Refusal("9112 §7.1", "FFFFFFFFFFFFFFFFF\r\n", "chunk_size_overflow"),
        Refusal("9112 §2.2", "1\nx\r\n0\r\n\r\n", "bare_line_feed"),
        Refusal("9112 §2.2", "1\rx\r\n0\r\n\r\n", "bare_carriage_return"),
        Refusal("9112 §2.2", "1;a\nx\r\n0\r\n\r\n", "bare_line_feed"),
        Refusal("9112 §2.2", "1;a=\"\n\"\r\nx\r\n0\r\n\r\n", "bare_line_feed"),
        Refusal("9112 §2.2", "1;a=\"\r\n\"\r\nx\r\n0\r\n\r\n", "bare_carriage_return"),
        Refusal("9112 §2.2", "1;a=\"\\\r\n\"\r\nx\r\n0\r\n\r\n", "bare_carriage_return"),
        Refusal("9112 §7.1.1", "1;a\0\r\nx\r\n0\r\n\r\n", "invalid_chunk_extension"),
        Refusal("9112 §7.1", "1\r\nxy\r\n0\r\n\r\n", "missing_chunk_end"),
        Refusal("9112 §7.1", "1\r\nx\n0\r\n\r\n", "missing_chunk_end"),
        Refusal("9112 §7.1", "1\r\nx\r0\r\n\r\n", "missing_chunk_end"),
        Refusal("9112 §7.1", "1\r\nx0\r\n\r\n", "missing_chunk_end"),
        Refusal("9112 §7.1.2", "0\r\nA : b\r\n\r\n", "space_before_colon"),
        Refusal("9112 §7.1.2", "0\r\n b\r\n\r\n", "folded_line"),
        Refusal("9112 §7.1.2", "0\r\nGET / HTTP/1.1\r\n\r\n", "space_before_colon"),
        Refusal("9112 §7.1.2", "0\r\nA: b\n\r\n", "bare_line_feed"),
        Refusal("9112 §7.1.2", "0\r\n\n", "bare_line_feed"),
    ]

    @Test(arguments: bodies)
    func bodiesAreRefused(_ row: Refusal) throws {
        let whole = #expect(throws: HTTPError.self) { try ReadBody(row.text) }
        #expect(whole?.name == row.name)
        #expect(whole?.status == row.status)
        for cut in Parsing.cuts(row.text.utf8.count) {
            let error = #expect(throws: HTTPError.self) { try ReadBody(row.text, endingAt: cut) }
            #expect(error == whole)
        }
    }

    static let small = HTTPLimits(
        line: 40,
        head: 80,
        fields: 3,
        chunkLine: 12,
        chunkExtensions: 16,
        trailers: 20
    )

    @Test(arguments: [
        Refusal("chunkLine", "1;abcdefghi\r\nx\r\n0\r\n\r\n", "chunk_line_too_long"),
        Refusal("chunkLine", "0000000000001\r\n", "chunk_line_too_long"),
        Refusal(
            "chunkExtensions",
            "1;abcde\r\nx\r\n1;abcde\r\nx\r\n1;abcde\r\nx\r\n0\r\n\r\n",
            "chunk_extensions_too_large"
        ),
        Refusal("trailers", "0\r\nA: 0123456789012345\r\n\r\n", "trailers_too_large", 431),
        Refusal("fields", "0\r\nA:\r\nB:\r\nC:\r\nD:\r\n\r\n", "trailers_too_large", 431),
    ])
    func bodiesBeyondTheLimitsAreRefused(_ row: Refusal) throws {
        for cut in Parsing.cuts(row.text.utf8.count) {
            let error = #expect(throws: HTTPError.self) {
                try ReadBody(row.text, endingAt: cut, limits: Self.small)
            }
            #expect(error?.name == row.name)
            #expect(error?.status == row.status)
        }
    }

    @Test(arguments: [
        "1;abcdefgh\r\nx\r\n0\r\nA: 01234567890\r\n\r\n", "0\r\nA:\r\nB:\r\nC:\r\n\r\n",
    ])
    func bodiesWithinTheLimitsAreAccepted(_ text: String) throws {
        #expect(try ReadBody(text, limits: Self.small).ended)
    }

    @Test(arguments: [
        Refusal(
            "line",
            "GET /0123456789012345678901234 HTTP/1.1\r\nHost: a\r\n\r\n",
            "line_too_long",
            414
        ),
        Refusal(
            "fields",
            "GET / HTTP/1.1\r\nHost: a\r\nA:\r\nB:\r\nC:\r\n\r\n",
            "too_many_fields",
            431
        ),
        Refusal(
            "head",
            "GET /1234567890123456789012 HTTP/1.1\r\nHost: a\r\nA: 0123456789012345678901234567\r\n\r\n",
            "head_too_large",
            431
        ),
    ])
    func headsBeyondTheLimitsAreRefused(_ row: Refusal) throws {
        for cut in Parsing.cuts(row.text.utf8.count) {
            let error = #expect(throws: HTTPError.self) {
                try Parsing.request(row.text, endingAt: cut, limits: Self.small)
            }
            #expect(error?.name == row.name)
            #expect(error?.status == row.status)
        }
        let within =
            "GET /012345678901234567890123 HTTP/1.1\r\nHost: a\r\nA: 012345678901234567890123\r\n\r\n"
        #expect(within.utf8.count == 80)
        #expect(try Parsing.request(within, limits: Self.small) != nil)
    }

    @Test func aSlowHeadIsScannedOnce() throws {
        // 60,000 calls with one more byte each: takes seconds only if each byte is scanned once.
        let bytes = Array(
            "GET / HTTP/1.1\r\nHost: a\r\nA: \(String(repeating: "a", count: 60_000))".utf8
        )
        var parser = RequestParser()
        for count in 0..<bytes.count {
            let head = try parser.parse(bytes.span.extracting(0..<count))
            if head != nil { Issue.record("the head is incomplete") }
        }
    }

    @Test func errorsContainNoTraffic() throws {
        let error = #expect(throws: HTTPError.self) {
            try Parsing.request("GET / HTTP/1.1\r\nHost: se cret\r\n\r\n")
        }
        #expect(
            error?.description == "request: the Host field is not host or host:port; at byte 16"
        )
    }
}
