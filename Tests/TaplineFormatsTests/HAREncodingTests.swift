// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct HAREncodingTests {
    func write(_ exchanges: [Exchange]) throws -> (String, LossReport) {
        var writer = HARWriter(capacity: 1)
        var whole: [UInt8] = []
        writer.begin(version: "0.1")
        for exchange in exchanges {
            writer.write(try #require(seal(exchange)))
            // Writing piece by piece produces the same file.
            whole.append(copying: writer.bytes)
            writer.removeAll()
        }
        writer.end()
        whole.append(copying: writer.bytes)
        return (String(decoding: whole, as: UTF8.self), writer.losses)
    }

    func read(_ text: String) throws -> [Exchange] {
        var exchanges: [Exchange] = []
        var reader = RecordingReader(file: "f.har")
        let bytes = Array(text.utf8)
        try reader.read(bytes.span) { exchanges.append(try $0.get()) }
        try reader.finish { exchanges.append(try $0.get()) }
        return exchanges
    }

    /// Content types that an entry states in addition to the fields round-trip, without additions.
    @Test(arguments: [
        ("", "application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        ("", "multipart/form-data; boundary=x", "multipart/form-data; boundary=x"),
        ("", "", ""), ("", "x-unknown", "x-unknown"), ("text/plain", "text/html", "text/html"),
        ("text/html; charset=utf-8", "text/html", "text/html"), ("text/html", "", ""),
    ])
    func keepsTypesThatDifferFromTheFields(field: String, type: String, written: String) throws {
        let header = field.isEmpty ? "" : #"{"name":"Content-Type","value":"\#(field)"}"#
        let message = #""httpVersion":"HTTP/1.1","headers":[\#(header)],"cookies":[]"#
        let entry =
            #"{"startedDateTime":"2026-11-20T14:03:00Z","time":1,"request":{"method":"POST","#
            + #""postData":{"mimeType":"\#(type)","text":"a=1"},"url":"http://a/",\#(message)},"#
            + #""response":{"status":200,"content":{"size":3,"text":"a=1","mimeType":"\#(type)"},"#
            + #"\#(message)}}"#
        let first = try read(#"{"log":{"entries":[\#(entry)]}}"#)
        let exchange = try #require(first.first)
        let isNoted = field.isEmpty || !field.hasPrefix(type)
        #expect(exchange.request.body.contentType == ByteString(isNoted ? type : ""))
        #expect(exchange.request.contentType == ByteString(field.isEmpty ? type : field))
        let (text, _) = try write(first)
        #expect(text.ranges(of: #""mimeType":"\#(written)""#).count == 2)
        let again = try #require(try read(text).first)
        #expect(again.request.body.contentType == exchange.request.body.contentType)
        #expect(again.response?.body.contentType == exchange.response?.body.contentType)
    }

    @Test func writesAnEntry() throws {
        var exchange = Exchange(
            id: ExchangeID(high: 0x0193_1234_5678_7abc, low: 0x8def_0123_4567_89ab),
            started: Timestamp(microseconds: 1_795_183_380_123_456)
        )
        exchange.request = Request(
            method: "POST",
            target: "/a?x=1&y=%41+b",
            scheme: "https",
            authority: "h",
            fields: ["Cookie": "a=1; b", "Content-Type": "text/plain"],
            body: Body([0x68, 0x69])
        )
        exchange.response = Response(
            status: 200,
            reason: "OK",
            fields: ["Set-Cookie": "s=1; Path=/", "Location": "/x"],
            body: Body([0xFF])
        )
        exchange.timing.connect = Microseconds(1000)
        exchange.timing.tls = Microseconds(2000)
        exchange.timing.wait = Microseconds(3000)
        exchange.connection.server = "[::1]:443"
        exchange.tags = ["t": "v"]
        let (text, _) = try write([exchange])
        #expect(
            text
                == #"{"log":{"version":"1.2","creator":{"name":"tapline","version":"0.1"},"#
                + #""entries":["# + "\n"
                + #"{"startedDateTime":"2026-11-20T14:03:00.123456Z","time":6,"#
                + #""request":{"method":"POST","url":"https://h/a?x=1&y=%41+b","#
                + #""httpVersion":"HTTP/1.1","cookies":[{"name":"a","value":"1"},"#
                + #"{"name":"","value":"b"}],"headers":[{"name":"Cookie","value":"a=1; b"},"#
                + #"{"name":"Content-Type","value":"text/plain"}],"#
                + #""queryString":[{"name":"x","value":"1"},{"name":"y","value":"A b"}],"#
                + #""postData":{"mimeType":"text/plain","text":"hi"},"headersSize":-1,"bodySize":2},"#
                + #""response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","#
                + #""cookies":[{"name":"s","value":"1"}],"#
                + #""headers":[{"name":"Set-Cookie","value":"s=1; Path=/"},"#
                + #"{"name":"Location","value":"/x"}],"content":{"size":1,"mimeType":"","#
                + #""text":"/w==","encoding":"base64"},"redirectURL":"/x","headersSize":-1,"#
                + #""bodySize":1},"cache":{},"timings":{"dns":-1,"connect":3,"ssl":2,"send":0,"#
                + #""wait":3,"receive":0},"serverIPAddress":"::1","#
                + #""_id":"01931234-5678-7abc-8def-0123456789ab","_tags":{"t":"v"}}"# + "\n]}}\n"
        )
    }

    @Test func reportsWhatCannotBeRepresented() throws {
        let (_, losses) = try write([fullExchange(), fullExchange()])
        let fields = losses.losses.map(\.field)
        for field in [
            "source", "client", "tls", "server_tls", "connection.reused", "request.trailers",
            "response.trailers", "response.interim", "response.body.truncated",
            "response.body.coding", "bytes", "original", "error.code", "headers",
            "messages.truncated",
        ] {
            #expect(fields.contains(field), "\(field)")
        }
        #expect(losses.losses.allSatisfy { $0.count == 2 })
        let plain = Exchange(id: ExchangeID(high: 0, low: 1), response: Response())
        #expect(try write([plain]).1.isEmpty)
    }

    @Test(arguments: ["gzip", "zstd", "br"])
    func decodesContent(_ name: String) throws {
        let plain = Array(String(repeating: "content ", count: 50).utf8)
        var coded: [UInt8] = []
        if name == "br" {
            // `a` as brotli: no encoder is linked.
            coded = [0x0B, 0x00, 0x80, 0x61, 0x03]
        } else {
            try ContentEncoder(ContentCoding(name: name)).encodeWhole(
                plain.span,
                appendingTo: &coded
            )
        }
        let expected = name == "br" ? [0x61] : plain
        let response = Response(
            fields: ["Content-Encoding": name],
            body: Body(bytes: coded, size: coded.count, coding: ByteString(name))
        )
        let exchange = Exchange(id: ExchangeID(high: 0, low: 1), response: response)
        let (text, losses) = try write([exchange])
        let back = try #require(try read(text).first?.response)
        #expect(back.body.bytes == expected)
        #expect(back.body.size == coded.count)
        #expect(back.fields == response.fields)
        #expect(losses.isEmpty)
    }
}
