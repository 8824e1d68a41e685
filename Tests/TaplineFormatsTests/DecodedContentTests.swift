// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import TaplineFormats

@Suite("Decoded content")
struct DecodedContentTests {
    private let text = Array(String(repeating: "0123456789", count: 50_000).utf8)

    private func coded(_ codings: [ContentCoding]) throws -> Body {
        var bytes = text
        for coding in codings {
            var output: [UInt8] = []
            try ContentEncoder(coding).encodeWhole(bytes.span, appendingTo: &output)
            bytes = output
        }
        let names = codings.map(\.name).joined(separator: ", ")
        return Body(bytes: bytes, size: bytes.count, coding: ByteString(names))
    }

    @Test(
        "comes in pieces of at most 64 KiB",
        arguments: [[], [.gzip], [.brotli, .gzip], [.zstd, .deflate, .zstd]] as [[ContentCoding]]
    )
    func pieces(codings: [ContentCoding]) throws {
        let body = try coded(codings)
        var found: [UInt8] = []
        try DecodedContent.forEachPiece(of: body) { piece in
            #expect(piece.count <= 64 << 10)
            found += piece
            return true
        }
        #expect(found == text)
        #expect(DecodedContent(body, limits: DecodingLimits()).bytes == text)
        var count = 0
        try DecodedContent.forEachPiece(of: body) { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }

    @Test("includes what comes before a failure", arguments: [1, 2])
    func failure(depth: Int) throws {
        var body = try coded(Array(repeating: .gzip, count: depth))
        body.bytes.removeLast(8)
        var found: [UInt8] = []
        #expect(throws: CodingError.self) {
            try DecodedContent.forEachPiece(of: body) { piece in
                found += piece
                return true
            }
        }
        let decoded = DecodedContent(body, limits: DecodingLimits())
        #expect(decoded.failure?.code == .truncated)
        #expect(text.starts(with: found) && text.starts(with: decoded.bytes))
        #expect(found.count > 1000 && decoded.bytes.count > 1000)
        body.coding = "unknown"
        #expect(throws: CodingError.self) {
            try DecodedContent.forEachPiece(of: body) { _ in true }
        }
    }
}
