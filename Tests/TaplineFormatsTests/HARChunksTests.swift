// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineJSON
import TaplineModel
import Testing

/// Content in pieces, as Polly.js writes it.
@Suite struct HARChunksTests {
    /// A file whose only entry has this content, with `Content-Encoding` if there is a coding.
    static func file(_ content: String, coding: String? = nil) -> String {
        let header = coding.map { #"{"name":"content-encoding","value":"\#($0)"}"# } ?? ""
        return #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-11-20T14:03:00Z","#
            + #""request":{"method":"GET","url":"http://h/"},"response":{"status":200,"#
            + #""headers":[\#(header)],"content":\#(content)}}]}}"#
    }

    /// `content` with pieces in base64, or in hexadecimal digits as before Polly.js 5.
    static func content(_ bytes: [UInt8], cutAt cut: Int, hex: Bool = false) -> String {
        let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])].map { piece in
            if hex { return Self.hex(piece) }
            var text: [UInt8] = []
            Base64.encode(piece.span, into: &text)
            return String(decoding: text, as: UTF8.self)
        }
        let form = hex ? #""_isBinary":true"# : #""encoding":"base64""#
        return #"{"mimeType":"application/json","size":77,"#
            + #""text":"[\"\#(pieces[0])\",\"\#(pieces[1])\"]",\#(form)}"#
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static let plain = Array(#"{"password":"ZqhunterSecret99"}"#.utf8)

    static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        var output: [UInt8] = []
        try ContentEncoder(.gzip).encodeWhole(bytes.span, appendingTo: &output)
        return output
    }

    @Test(arguments: [false, true])
    func piecesAreJoined(hex: Bool) throws {
        for cut in 0...Self.plain.count {
            let text = Self.file(Self.content(Self.plain, cutAt: cut, hex: hex))
            let (exchanges, losses) = try HARRoundTripTests.read(text)
            let body = try #require(exchanges.first?.response?.body)
            #expect(body.bytes == Self.plain && body.coding.isEmpty)
            #expect(body.size == Self.plain.count)
            #expect(losses.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func codedPiecesKeepTheirCoding(hex: Bool) throws {
        let coded = try Self.gzip(Self.plain)
        let text = Self.file(Self.content(coded, cutAt: 11, hex: hex), coding: "gzip")
        let body = try #require(try HARRoundTripTests.read(text).0.first?.response?.body)
        #expect(body.bytes == coded && body.coding == "gzip")
        #expect(body.decodedSize == nil && !body.isTruncated)
    }

    /// A tool may have decoded the bytes and left the field.
    @Test func aFieldAloneDoesNotSetTheCoding() throws {
        let text = Self.file(Self.content(Self.plain, cutAt: 11), coding: "gzip")
        let body = try #require(try HARRoundTripTests.read(text).0.first?.response?.body)
        #expect(body.bytes == Self.plain && body.coding.isEmpty)
    }

    @Test func anEmptyListIsNoContent() throws {
        let text = Self.file(#"{"size":2,"text":"[]","encoding":"base64"}"#, coding: "gzip")
        let (exchanges, _) = try HARRoundTripTests.read(text)
        let body = try #require(exchanges.first?.response?.body)
        #expect(body.bytes.isEmpty && !body.isTruncated)
        let tree = try JSONTree(try HARRoundTripTests.write(exchanges).0)
        let content = tree["log"]?["entries"]?.elements[0]["response"]?["content"]
        #expect(content?["text"]?.string == "[]")
    }

    /// Converting HAR to HAR writes the list again, as one piece, which Polly can read.
    @Test(arguments: [false, true])
    func theListRoundTrips(hex: Bool) throws {
        let coded = try Self.gzip(Self.plain)
        for (bytes, coding) in [(Self.plain, "br"), (coded, "gzip"), (coded, "x-new")] {
            let text = Self.file(Self.content(bytes, cutAt: 5, hex: hex), coding: coding)
            let (exchanges, _) = try HARRoundTripTests.read(text)
            let (written, losses) = try HARRoundTripTests.write(exchanges)
            #expect(losses.isEmpty)
            let tree = try JSONTree(written)
            let content = try #require(
                tree["log"]?["entries"]?.elements[0]["response"]?["content"]
            )
            let whole = hex ? Self.hex(bytes) : Self.base64(bytes)
            #expect(content["text"]?.string == "[\"\(whole)\"]")
            #expect(content["encoding"]?.string == (hex ? nil : "base64"))
            #expect(content["size"] == .number("77") && content["text_chunks"] == nil)
            let again = try HARRoundTripTests.read(written).0
            #expect(again.first?.response == exchanges.first?.response)
            #expect(try HARRoundTripTests.write(again).0 == written)
        }
    }

    /// Without the field, or with another one, Polly reads no list, and the coding would be lost.
    @Test(arguments: [nil, "br"])
    func codingsThatDifferFromTheFieldAreDecoded(field: String?) throws {
        let coded = try Self.gzip(Self.plain)
        let text = Self.file(Self.content(coded, cutAt: 5), coding: "gzip")
        var exchanges = try HARRoundTripTests.read(text).0
        exchanges[0].response?.fields = field.map { ["Content-Encoding": $0] } ?? [:]
        let (written, losses) = try HARRoundTripTests.write(exchanges)
        #expect(losses.isEmpty)
        let again = try HARRoundTripTests.read(written).0
        #expect(again[0].response?.body.bytes == Self.plain)
    }

    static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64.encode(bytes.span, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: [
        "[", "[]]", "[1]", #"[\"QQ==\""#, #"[\"QQ==\",]"#, #"[\"*\"]"#, #"[\"QQ==\" \"QQ==\"]"#,
        #"[\"QQ==\"]x"#, #"{\"a\":1}"#, #"[\"QQ==]"#, #"[[\"QQ==\"]]"#, #"[,\"QQ==\"]"#,
    ])
    func otherTextsAreMalformedBase64(_ text: String) throws {
        var reader = HARReader()
        let entry = Array(
            (#"{"request":{"method":"GET","url":"http://h/"},"response":{"status":200,"#
                + #""content":{"text":"\#(text)","encoding":"base64"}}}"#).utf8
        )
        let exchange = try reader.read(entry.span)
        let expected = text.replacing(#"\""#, with: "\"")
        #expect(exchange.response?.body.bytes == Array(expected.utf8))
        #expect(reader.findings.losses.map(\.field) == ["base64 (malformed, read as text)"])
    }

    /// A member with that name may be from another tool.
    @Test func aForeignMemberIsCounted() throws {
        let text = Self.file(#"{"text":"a","text_chunks":"base64"}"#)
        let (exchanges, losses) = try HARRoundTripTests.read(text)
        #expect(losses.losses.map(\.field) == ["content.text_chunks"])
        #expect(!"\(exchanges[0].har)".contains("text_chunks"))
    }
}
