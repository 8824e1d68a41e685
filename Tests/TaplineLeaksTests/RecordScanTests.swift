// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import TaplineLeaks

@Suite("Records")
struct RecordScanTests {
    private func scan(_ json: String, under prefix: String = "") throws -> [String]? {
        let scanner = try scanner(secret)
        var records = RecordScan(scanner)
        return records.scan(Array(json.utf8).span, under: prefix)?.map { hit, place in
            ([place.path ?? ""] + hit.codings).joined(separator: " ")
        }
    }

    @Test(
        "Each part of a record has its path",
        arguments: [
            (#"{"id":"?"}"#, "id"),
            (#"{"request":{"headers":[["a","b"],["c","?"]]}}"#, "request.headers[1]"),
            (#"{"request":{"headers":[["?","b"]]}}"#, "request.headers[0] (name)"),
            (
                #"{"response":{"interim":[{"headers":[["a","?"]]}]}}"#,
                "response.interim[0].headers[0]"
            ),
            (#"{"request":{"body":{"text":"..?.."}}}"#, "request.body"),
            (#"{"messages":[{},{"text":"?"}]}"#, "messages[1]"),
            (#"{"tags":{"a":"b","mine":"?"}}"#, "tags[1]"),
            (#"{"tags":{"?":"b"}}"#, "tags[0] (name)"),
            (#"{"x":[1,[2,["?"]]]}"#, "[0][1][1][0]"),
            (#"{"original":{"url":"http://a/?"}}"#, "original.url"),
            (#"{ "error" : { "message" : "?" } }"#, "error.message"),
        ]
    )
    func paths(json: String, path: String) throws {
        #expect(try scan(json.replacing("?", with: secret)) == [path])
    }

    @Test("Keys that no format defines are not shown, because they may be secrets")
    func unknownKeys() throws {
        let json = #"{"hunter2":{"request":{"s3cr3t-key":"?"}}}"#.replacing("?", with: secret)
        #expect(try scan(json) == ["[0].request[0]"])
    }

    @Test("Paths in an archive contain the number of the entry")
    func prefix() throws {
        let json = #"{"request":{"headers":[{"name":"a","value":"?"}]}}"#
        #expect(
            try scan(json.replacing("?", with: secret), under: "log.entries[7]")
                == ["log.entries[7].request.headers[0].value"]
        )
    }

    @Test("Escapes are decoded")
    func escapes() throws {
        let escaped = secret.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined()
        #expect(try scan("{\"id\":\"\(escaped)\"}") == ["id escapes"])
        let inner = "{\\\"a\\\":\\\"\(secret)\\\"}"
        #expect(try scan("{\"response\":{\"body\":{\"text\":\"\(inner)\"}}}") == ["response.body"])
    }

    @Test("Bodies are decoded by the coding that the record names")
    func bodies() throws {
        let plain = Array("{\"password\":\"\(secret)\"}".utf8)
        #expect(
            try scan(#"{"request":{"body":{"base64":"\#(base64(plain))"}}}"#)
                == ["request.body base64"]
        )
        for coding in [ContentCoding.gzip, .deflate, .zstd] {
            let text = base64(try coded(plain, coding))
            let json = #"{"response":{"body":{"base64":"\#(text)","coding":"\#(coding.name)"}}}"#
            // zstd may store a few bytes uncompressed.
            let expected = coding == .zstd ? "" : " \(coding.name)"
            #expect(try scan(json) == ["response.body base64\(expected)"])
        }
    }

    @Test("The base64 declaration of archives is recognised")
    func archiveBodies() throws {
        let text = base64(Array("<\(secret)>".utf8))
        let content = #"{"response":{"content":{"size":3,"text":"\#(text)","encoding":"base64"}}}"#
        #expect(try scan(content) == ["response.content.text base64"])
        // Polly.js writes coded content in chunks; a boundary may be within the secret.
        let gzip = try coded(Array("<\(secret)>".utf8), .gzip)
        for (bytes, expected) in [(Array("<\(secret)>".utf8), ""), (gzip, " gzip")] {
            let list =
                "[\\\"\(base64(Array(bytes[..<9])))\\\",\\\"\(base64(Array(bytes[9...])))\\\"]"
            let pieces = #"{"response":{"content":{"text":"\#(list)","encoding":"base64"}}}"#
            #expect(try scan(pieces) == ["response.content.text base64\(expected)"])
        }
    }

    @Test("A coded body beyond the limits is scanned up to them and counted")
    func limits() throws {
        let index = ValueIndex(try values(secret))
        let limits = UnitScanner.Limits(maxDepth: 8, maxDecodedBytes: 10_000)
        let scanner = try UnitScanner(index, nil, limits)
        var records = RecordScan(scanner)
        let blanks = String(repeating: " ", count: 20_000)
        for (text, count) in [("\(secret)\(blanks)", 1), ("\(blanks)\(secret)", 0)] {
            let body = base64(try coded(Array(text.utf8), .brotli))
            for json in [
                #"{"response":{"body":{"base64":"\#(body)","coding":"br"}}}"#,
                #"{"response":{"content":{"text":"\#(body)","encoding":"base64"}}}"#,
            ] {
                let hits = records.scan(Array(json.utf8).span)
                #expect(hits?.count == count)
                #expect(scanner.takeMetLimit())
            }
        }
        let short = base64(try coded(Array(secret.utf8), .brotli))
        let json = #"{"response":{"body":{"base64":"\#(short)","coding":"br"}}}"#
        let hits = records.scan(Array(json.utf8).span)
        #expect(hits?.count == 1)
        #expect(!scanner.takeMetLimit())
    }

    @Test("A truncated body is scanned up to its end")
    func truncated() throws {
        let tail = (0..<5000).map { "line \($0)\n" }.joined()
        let whole = try coded(Array("token=\(secret)\n\(tail)".utf8), .brotli)
        let cut = base64(Array(whole.dropLast(20)))
        let json = #"{"response":{"body":{"base64":"\#(cut)","coding":"br"}}}"#
        #expect(try scan(json) == ["response.body base64 br"])
    }

    @Test("The id is shown only if it is a UUID")
    func ids() throws {
        let scanner = try scanner(secret)
        var records = RecordScan(scanner)
        let id = "01931234-5678-7abc-8def-0123456789ab"
        let good = Array(#"{"id":"\#(id)","url":"\#(secret)"}"#.utf8)
        #expect(records.scan(good.span)?.first?.place.record == id)
        let bad = Array(#"{"id":"my password","url":"\#(secret)"}"#.utf8)
        #expect(records.scan(bad.span)?.map(\.place.record) == [nil])
    }

    @Test(
        "Text that is not an object is not scanned",
        arguments: ["", "{", "[1]", "\"a\"", "{} {}", "{\"a\":}", "{\"a\":\"\u{1}\"}", "nul"]
    )
    func broken(json: String) throws {
        #expect(try scan(json) == nil)
    }

    @Test("Each place is reported once, although it is scanned in several ways")
    func once() throws {
        let json = #"{"a":"\n?","b":["?","?"]}"#.replacing("?", with: secret)
        #expect(try scan(json) == ["[0]", "[1][0]", "[1][1]"])
        let twice = #"{"a":"\n? ?"}"#.replacing("?", with: secret)
        #expect(try scan(twice) == ["[0]", "[0]"])
    }
}
