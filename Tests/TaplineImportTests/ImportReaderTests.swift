// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import Testing

@testable import TaplineImport

/// One small file of each format.
enum Samples {
    static let gor =
        "1 aaaaaaaaaaaaaaaaaaaaaaaa 1700000000123456789 0\n"
        + "POST /a?b=1 HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 2\r\n\r\nhi\n🐵🙈🙉\n"
        + "2 aaaaaaaaaaaaaaaaaaaaaaaa 1700000000133456789 10000000\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\n🐵🙈🙉\n"
    static let curl = "# a comment\ncurl 'https://shop.test/a' \\\n  -H 'X: 1' -d a=b\nls -l\n"
    static let log =
        #"10.0.0.1 - ann [10/Oct/2026:13:55:36 +0200] "GET /a HTTP/1.1" 200 12 "-" "curl/8""#
        + "\n\n"
        + #"10.0.0.2 - - [10/Oct/2026:13:55:37 +0200] "GET /b HTTP/2.0" 404 0 "-" "x""#
    static let jsonLog =
        #"{"time_iso8601":"2026-10-10T13:55:36+02:00","request_method":"GET","uri":"/a","#
        + #""status":200}"# + "\n"
    static let postman =
        #"{"info":{"name":"n"},"item":[{"name":"a","request":"#
        + #"{"method":"GET","url":"http://a.test/x"}}]}"#
    static let har =
        #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-10-10T13:55:36Z","time":1,"#
        + #""request":{"method":"GET","url":"http://a.test/","headers":[]},"#
        + #""response":{"status":200,"headers":[],"content":{}}}]}}"#
    static let ndjson =
        #"{"v":1,"request":{"method":"GET","url":"http://a.test/"},"response":{"status":200}}"#
        + "\n"

    static let flow = dictionary([
        "version": number("21"), "type": text("http"), "id": text("x"), "error": null,
        "request": dictionary([
            "method": bytes("GET"), "scheme": bytes("https"), "host": text("shop.test"),
            "port": number("443"), "path": bytes("/a"), "http_version": bytes("HTTP/1.1"),
            "headers": list(list(bytes("Host"), bytes("shop.test"))), "content": bytes(""),
            "timestamp_start": number("1700000000.5"), "timestamp_end": number("1700000000.6"),
        ]),
        "response": dictionary([
            "status_code": number("200"), "reason": bytes("OK"), "headers": list(),
            "content": bytes("ok"), "timestamp_start": number("1700000001.0"),
            "timestamp_end": number("1700000001.5"),
        ]),
    ])

    static let all: [(ImportFormat, [UInt8])] = [
        (.gor, Array(gor.utf8)), (.curl, Array(curl.utf8)), (.accessLog, Array(log.utf8)),
        (.accessLog, Array(jsonLog.utf8)), (.postman, Array(postman.utf8)),
        (.har, Array(har.utf8)), (.ndjson, Array(ndjson.utf8)), (.mitmproxy, flow + flow),
    ]
}

@Suite("Files of other tools")
struct ImportReaderTests {
    @Test("are recognized by their content", arguments: Samples.all)
    func detection(format: ImportFormat, bytes: [UInt8]) {
        let plain = Imported(bytes)
        #expect(plain.format == format)
        #expect(plain.messages.isEmpty, "\(plain.messages)")
        #expect(!plain.exchanges.isEmpty)
        #expect(Imported(Array("\u{FEFF}\n ".utf8) + bytes).format == format)
    }

    @Test("are read in any chunks", arguments: Samples.all)
    func chunks(format: ImportFormat, bytes: [UInt8]) {
        let whole = Imported(bytes)
        for chunk in [1, 2, 3, 7, 64] { #expect(Imported(bytes, chunk: chunk) == whole) }
    }

    @Test("may be compressed", arguments: [ContentCoding.gzip, .deflate, .zstd])
    func compression(coding: ContentCoding) throws {
        for (format, bytes) in Samples.all {
            var coded: [UInt8] = []
            try ContentEncoder(coding).encodeWhole(bytes.span, appendingTo: &coded)
            let imported = Imported(coded, chunk: 5)
            #expect(imported.format == format)
            #expect(imported.exchanges == Imported(bytes).exchanges)
        }
    }

    @Test("that are cut off are read up to there")
    func cutOff() throws {
        var coded: [UInt8] = []
        let bytes = Array((Samples.log + "\n").utf8)
        try ContentEncoder(.gzip).encodeWhole(bytes.span, appendingTo: &coded)
        let imported = Imported(Array(coded.dropLast(4)))
        #expect(imported.exchanges.count == 2)
        #expect(imported.end?.code == .cutOff)
        coded[coded.count / 2] ^= 0xFF
        #expect(Imported(coded).end != nil)
    }

    @Test(
        "of unknown formats are refused",
        arguments: [
            ("hello\nworld", "unknown format; expected har, ndjson, mitmproxy"),
            ("SQLite format 3\0....", "'tapline convert' reads those of the sink 'sqlite'"),
            ("<xml/>", "unknown format"), ("[1]", "unknown format"), ("12:", "unknown format"),
        ]
    )
    func unknown(text: String, message: String) {
        let imported = Imported(text)
        #expect(imported.end?.code == .notRecording)
        #expect(imported.messages.first?.contains(message) == true, "\(imported.messages)")
    }

    @Test("with many commands are passed on in parts")
    func parts() throws {
        let text = (0..<2500).map { "curl a.test/\($0) -d '\n'\n" }.joined() + "curl 'x"
        let parser = CurlParser(ImportOptions(file: "f"))
        var items = ImportedItems(file: "f")
        try parser.append(text.utf8.span, to: &items)
        var counts: [Int] = []
        while try parser.finish(to: &items) {
            counts.append(items.elements.count)
            items.removeElements()
        }
        #expect(counts == [1000, 1000] && items.elements.count == 501)
        let imported = Imported(text)
        #expect(imported.exchanges.count == 2500 && imported.errors.count == 1)
        #expect(imported.exchanges.last?.request.target == "/2499")
        #expect(imported.errors.first?.line == 5001)
        #expect(Set(imported.exchanges.map(\.id)).count == 2500)
    }

    @Test("have errors with line and column, in any order")
    func places() {
        let bytes = Array("aü\n\nb".utf8)
        var lines = LineCounter()
        let places = [0, 1, 3, 4, 5, 6, 9, 4, 0].map { byte in
            let error = lines.located(RecordError.shape("", at: byte), bytes)
            return [error.line, error.column]
        }
        let first = [[1, 1], [1, 2], [1, 3], [2, 1], [3, 1]]
        #expect(places == first + [[3, 2], [3, 2], [2, 1], [1, 1]])
    }

    @Test("without content have no exchanges")
    func empty() {
        for text in ["", " \n\r\n"] {
            let imported = Imported(text)
            #expect(imported.exchanges.isEmpty && imported.end == nil && imported.format == nil)
        }
    }

    @Test("can be read in a given format")
    func given() {
        let line = #"10.0.0.1 - - [10/Oct/2026:13:55:36 +0200] "GET /a HTTP/1.1" 200 12"#
        #expect(Imported(line, .accessLog).exchanges.count == 1)
        #expect(Imported(line, .gor).messages == ["f:1: the file ends inside a message (byte 0)"])
    }

    @Test("get the same ids each time, and different ones for equal lines")
    func ids() {
        let twice = Samples.jsonLog + Samples.jsonLog
        let ids = Imported(twice).exchanges.map(\.id)
        #expect(ids == Imported(twice).exchanges.map(\.id))
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { $0.isVersion7 })
        #expect(Imported(twice).exchanges.allSatisfy { $0.source == "import" })
    }

    @Test("that are damaged in any way are errors, never traps", arguments: Samples.all)
    func damage(format: ImportFormat, bytes: [UInt8]) {
        for end in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 97)) {
            _ = Imported(Array(bytes[..<end]), format)
            for byte: UInt8 in [0x00, 0x0A, 0x22, 0x27, 0x3A, 0x39, 0x7B, 0xFF] {
                var changed = bytes
                changed[end] = byte
                let imported = Imported(changed, format, chunk: 50)
                #expect(imported.errors.allSatisfy { 0...bytes.count ~= $0.byte })
            }
        }
    }
}
