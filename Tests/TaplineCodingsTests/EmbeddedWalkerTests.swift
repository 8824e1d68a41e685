// SPDX-License-Identifier: MIT

import TaplineCodings
import TestSupport
import Testing

@Suite struct EmbeddedWalkerTests {
    /// Returns the occurrences of a word in a text and in everything embedded in it.
    private func walk(
        _ bytes: [UInt8],
        _ limits: EmbeddedLimits = .init()
    ) -> (hits: [EmbeddedHit], isComplete: Bool) {
        let word = Array("s3cret".utf8)
        var walker = EmbeddedWalker(limits)
        var hits: [EmbeddedHit] = []
        let isComplete = walker.walk(bytes.span, appendingTo: &hits) { text, hits in
            var start = 0
            while start + word.count <= text.count {
                if (0..<word.count).allSatisfy({ text[start + $0] == word[$0] }) {
                    hits.append(EmbeddedHit(start: start, end: start + word.count, tag: 7))
                }
                start += 1
            }
        }
        return (hits, isComplete)
    }

    private func coded(_ text: [UInt8], _ name: String) throws -> [UInt8] {
        switch name {
        case "base64":
            return encode(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        case "percent": return text.flatMap { Array("%\(hex($0))".utf8) }
        case "json": return text.flatMap { Array("\\u00\(hex($0))".utf8) }
        case "html": return text.flatMap { Array("&#\($0);".utf8) }
        case "hex": return text.flatMap { Array(hex($0).utf8) }
        case "utf-16": return [0xFE, 0xFF] + text.flatMap { [0, $0] }
        default: return try ContentCoding(name: name).encode(text.span)
        }
    }

    private func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    private func encode(_ text: [UInt8], _ alphabet: String) -> [UInt8] {
        let digits = Array(alphabet.utf8)
        return stride(from: 0, to: text.count, by: 3).flatMap { start -> [UInt8] in
            let part = text[start..<min(start + 3, text.count)]
            let group = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            let all = (0..<4).map { digits[group >> (18 - 6 * $0) & 63] }
            return Array(all.prefix(part.count + 1)) + (part.count..<3).map { _ in 0x3D }
        }
    }

    private static let texts = ["base64", "percent", "json", "html", "hex"]

    @Test(arguments: texts, texts)
    func findsDoublyEmbeddedText(inner: String, outer: String) throws {
        let text = Array("the word is s3cret, in words".utf8)
        let once = try coded(text, inner)
        let twice = try coded(once, outer)
        let bytes = Array("x \"".utf8) + twice + Array("\" y".utf8)
        let result = walk(bytes)
        #expect(result.isComplete)
        try #require(result.hits.count == 1, "\(result.hits)")
        let hit = result.hits[0]
        #expect(hit.tag == 7)
        #expect(hit.depth == 2)
        #expect(hit.start >= 3 && hit.end <= bytes.count - 3 && hit.start < hit.end)
    }

    @Test(arguments: ["gzip", "zstd", "deflate", "utf-16"])
    func findsTextInWholeFormsAndWithinBase64(name: String) throws {
        let inner = try coded(Array("{\"a\":\"s3cret words\"}".utf8), name)
        #expect(walk(inner).hits.count == 1)
        let hits = walk(Array("data:".utf8) + (try coded(inner, "base64")) + [0x20]).hits
        #expect(hits.count == 1)
        #expect(hits.first?.start == 5)
    }

    @Test func aByteOrderMarkBeforeOtherTextHidesNothing() {
        #expect(walk([0xFF, 0xFE] + Array("a s3cret word".utf8)).hits.count == 1)
        #expect(walk([0xFE, 0xFF] + Array("a s3cret words".utf8)).hits.count == 1)
    }

    @Test func positionsInEscapesAreExact() throws {
        let text = Array(#"{"a":"x\n%73%33cret\/y"}"#.utf8)
        let hit = try #require(walk(text).hits.first)
        #expect(String(decoding: text[hit.start..<hit.end], as: UTF8.self) == "%73%33cret")
    }

    @Test func plainHitsAreNotReportedTwice() {
        let result = walk(Array(#"{"a":"\n s3cret \n","b":"s3cret"}"#.utf8))
        #expect(result.hits.map(\.depth) == [0, 0])
    }

    @Test func reportsAnIncompleteSearchAtALimit() throws {
        var limits = EmbeddedLimits()
        limits.maxDepth = 1
        let text = Array("the word is s3cret, in words".utf8)
        let twice = try coded(coded(text, "base64"), "percent")
        #expect(walk(twice, limits).hits.isEmpty)
        #expect(!walk(twice, limits).isComplete)
        #expect(walk(twice).hits.count == 1)
        let bomb = try Samples.coded(Samples.zeros, .zstd)
        #expect(!walk(bomb).isComplete)
    }

    @Test func timeIsLinearForAnyText() {
        for piece in [
            "%25", "\\\\", "&amp;", "%", "\\", "&", "=", "A", "eyJ", "eyJhbGciOiJI.", "a-", "+_",
            "41",
            "dXNl_+", "%5C", "\"\\\"", "ab\n",
        ] {
            let text = [UInt8]((0..<200_000 / piece.utf8.count).flatMap { _ in piece.utf8 })
            let clock = ContinuousClock()
            let time = clock.measure { _ = walk(text) }
            #expect(time < .seconds(20), "\(piece) took \(time)")
        }
    }

    @Test func arbitraryBytesDoNotTrap() {
        let pieces = [
            "%4", "%41", "\\u00", "\\ud83d", "&#", "&#x41;", "eyJh", "dXNlcjpw", "YXNz", ".", "=",
            "+", "_",
            "\"", "\n", "\r\n", "\u{0}", "é", "7b22", "H4sI", "\\", "&amp;",
        ]
        var random = Random(seed: 5)
        for _ in 0..<3000 {
            var text = (0..<random.below(30)).flatMap { _ in Array(random.pick(pieces).utf8) }
            if !text.isEmpty { text[random.below(text.count)] = random.byte() }
            _ = walk(text)
        }
    }
}
