// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

/// Plants a secret in every place of an exchange and in every encoding, alone and within another
/// one.
///
/// The secret must be gone, also from everything that can be decoded from the result; without the
/// rule, it must still be there.
@Suite struct EncodedSecretTests {
    /// A way to encode a text within another one.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let write: @Sendable ([UInt8]) -> [UInt8]
    }

    static let forms: [Form] = [
        Form(testDescription: "plain") { $0 },
        Form(testDescription: "percent") { PercentEncoding.encode($0.span) },
        Form(testDescription: "percent, all") { $0.flatMap { Array("%\(hex($0))".utf8) } },
        Form(testDescription: "json string") { quoted($0) },
        Form(testDescription: "json, unicode") { text in
            Array("\"".utf8) + text.flatMap { Array("\\u00\(hex($0))".utf8) } + Array("\"".utf8)
        },
        Form(testDescription: "json member") { Array("{\"data\":".utf8) + quoted($0) + [0x7D] },
        Form(testDescription: "base64") { base64($0, url: false, padded: true) },
        Form(testDescription: "base64url") { base64($0, url: true, padded: false) },
        Form(testDescription: "base64 in lines") { text in
            lines(base64(text + [UInt8](repeating: 0x20, count: 120), url: false, padded: true))
        },
        Form(testDescription: "hex") { $0.flatMap { Array(hex($0).utf8) } },
        Form(testDescription: "references") { $0.flatMap { Array("&#\($0);".utf8) } },
        Form(testDescription: "jwt") { text in
            let head = base64(Array("{\"alg\":\"none\"}".utf8), url: true, padded: false)
            let payload = Array("{\"data\":".utf8) + quoted(text) + [0x7D]
            return head + [0x2E] + base64(payload, url: true, padded: false)
                + Array(".c2lnbmF0dXJl".utf8)
        },
        Form(testDescription: "gzip, base64") { text in
            let coded = (try? ContentCoding.gzip.encode(text.span)) ?? text
            return base64(coded, url: false, padded: true)
        },
        Form(testDescription: "utf-16, base64") { text in
            base64(text.flatMap { [$0, 0] }, url: false, padded: true)
        },
    ]

    static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    static func quoted(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x22]
        JSONText.encode(text.span, to: &output)
        return output + [0x22]
    }

    static func lines(_ text: [UInt8]) -> [UInt8] {
        stride(from: 0, to: text.count, by: 76).map { text[$0..<min($0 + 76, text.count)] }
            .joined(separator: [0x0A]).map { $0 }
    }

    static func base64(_ text: [UInt8], url: Bool, padded: Bool) -> [UInt8] {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let digits = Array((alphabet + (url ? "-_" : "+/")).utf8)
        return stride(from: 0, to: text.count, by: 3).flatMap { start -> [UInt8] in
            let part = text[start..<min(start + 3, text.count)]
            let group = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            let all = (0...part.count).map { digits[group >> (18 - 6 * $0) & 63] }
            return all + (padded ? [UInt8](repeating: 0x3D, count: 3 - part.count) : [])
        }
    }

    /// Whether a word occurs in bytes, or in anything that can be decoded from them.
    static func holds(_ word: String, _ bytes: [UInt8]) -> Bool {
        var walker = EmbeddedWalker()
        var hits: [EmbeddedHit] = []
        let word = Array(word.utf8)
        _ = walker.walk(bytes.span, appendingTo: &hits) { text, hits in
            var start = 0
            while start + word.count <= text.count {
                if (0..<word.count).allSatisfy({ text[start + $0] == word[$0] }) {
                    hits.append(EmbeddedHit(start: start, end: start + word.count, tag: 0))
                }
                start += 1
            }
        }
        return !hits.isEmpty
    }

    /// Returns everything that an exchange contains, each part on lines of its own.
    static func shown(_ exchange: Exchange) -> [(place: String, bytes: [UInt8])] {
        var all: [(String, [UInt8])] = []
        func add(_ place: String, _ text: ByteString) {
            all.append((place, Array(copying: text.span)))
        }
        func add(_ place: String, _ fields: FieldSection) {
            for index in fields.indices {
                let name = String(decoding: Array(copying: fields.name(at: index)), as: UTF8.self)
                all.append(("\(place) \(name)", Array(copying: fields.value(at: index))))
            }
        }
        func add(_ place: String, _ body: Body) {
            let codings = ContentCoding.list(body.coding.span)
            let decoded = try? ContentCoding.decode(body.bytes.span, codings: codings)
            all.append((place, decoded ?? body.bytes))
        }
        add("target", exchange.request.target)
        add("request", exchange.request.fields)
        add("request trailer", exchange.request.trailers)
        add("request body", exchange.request.body)
        if let response = exchange.response {
            add("response", response.fields)
            add("response trailer", response.trailers)
            add("response body", response.body)
            for interim in response.interim { add("interim", interim.fields) }
        }
        if let url = exchange.original.url { add("original", url) }
        for tag in exchange.tags { all.append(("tag \(tag.name)", Array(tag.value.utf8))) }
        if let error = exchange.error { all.append(("error", Array(error.message.utf8))) }
        for message in exchange.messages { all.append(("message", message.bytes)) }
        return all
    }

    /// Returns an exchange that contains a text in every place.
    static func exchange(with text: [UInt8]) -> Exchange {
        let inURL = String(decoding: PercentEncoding.encode(text.span), as: UTF8.self)
        let inHeader = text.map { $0 == 0x0A ? 0x20 : $0 }
        let header = ByteString(inHeader)
        var full = RedactStageTests.exchange(
            target: "/p?a=1&q=\(inURL)&b=2",
            type: "application/json"
        )
        let json = Array("{\"a\":[1,{\"note\":".utf8) + quoted(text) + Array("}]}".utf8)
        full.request.fields.append(name: "X-Note".utf8.span, value: header.span)
        full.request.fields.append(name: "Referer", value: "https://h/?q=\(inURL)")
        full.request.trailers.append(name: "X-Note".utf8.span, value: header.span)
        full.request.body = Body(json)
        full.original.url = ByteString("https://h/?q=\(inURL)")
        full.tags = ["note": String(decoding: text, as: UTF8.self)]
        full.error = ExchangeError(code: "x", message: String(decoding: text, as: UTF8.self))
        full.messages = [
            StreamMessage(direction: .up, bytes: json),
            StreamMessage(direction: .down, bytes: text),
        ]
        var response = Response(
            status: 200,
            fields: ["Content-Type": "text/plain"],
            body: Body(text)
        )
        response.fields.append(name: "X-Note".utf8.span, value: header.span)
        response.interim = [InterimResponse(status: 103, fields: response.fields)]
        full.response = response
        return full
    }

    private func check(_ text: [UInt8], _ secret: String, _ yaml: String, _ without: String) throws
    {
        let full = Self.exchange(with: text)
        for (place, bytes) in Self.shown(try redact(full, yaml)) where Self.holds(secret, bytes) {
            Issue.record("\(place): \(String(decoding: bytes, as: UTF8.self))")
        }
        let before = Self.shown(full).map { Self.holds(secret, $0.bytes) }
        let after = Self.shown(try redact(full, without)).map { Self.holds(secret, $0.bytes) }
        #expect(before == after)
        #expect(before.count { $0 } >= 9)
    }

    @Test(arguments: forms, forms)
    func findingsOfDetectorsAreRemoved(inner: Form, outer: Form) throws {
        let text = outer.write(inner.write(Array("some words, SK-PLANTED77, and more".utf8)))
        try check(text, "SK-PLANTED77", "{preset: none, detectors: key}", "preset: none")
    }

    @Test(arguments: forms, forms)
    func valuesNamedByRulesAreRemoved(inner: Form, outer: Form) throws {
        let json = Array(#"{"user":"anna","password":"pl4nted-s3cret","n":1}"#.utf8)
        let text = outer.write(inner.write(json))
        try check(text, "pl4nted-s3cret", "{}", "preset: none")
    }
}
