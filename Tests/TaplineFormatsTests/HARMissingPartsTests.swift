// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import Testing

@Suite struct HARMissingPartsTests {
    func read(
        _ request: String,
        _ response: String = #""status":200"#
    ) throws -> (
        Exchange, findings: [String], losses: [String]
    ) {
        var reader = HARReader()
        let entry = Array(#"{"request":{\#(request)},"response":{\#(response)}}"#.utf8)
        let exchange = try reader.read(entry.span)
        return (exchange, reader.findings.losses.map(\.field), reader.losses.losses.map(\.field))
    }

    @Test func aMissingMethodIsReadLikeInABrowser() throws {
        for method in ["", #""method":null,"#, #""method":"","#] {
            let (plain, findings, _) = try read(#"\#(method)"url":"http://h/""#)
            #expect(plain.request.method == "GET")
            #expect(findings == ["request.method (missing, read as GET, or as POST with content)"])
            let content = #""postData":{"text":"a"}"#
            let (form, _, _) = try read(#"\#(method)"url":"http://h/",\#(content)"#)
            #expect(form.request.method == "POST")
        }
    }

    @Test(arguments: [
        ("http://h/a", "/a?q=a%20%26b&flag&e="), ("http://h", "/?q=a%20%26b&flag&e="),
        ("http://h/a?", "/a?q=a%20%26b&flag&e="), ("http://h/a#x?y", "/a?q=a%20%26b&flag&e="),
        ("http://h/a?z=1", "/a?z=1"),
    ])
    func aQueryIsBuiltFromItsList(_ url: String, _ target: String) throws {
        let list = #"[{"name":"q","value":"a &b"},{"name":"flag"},{"name":"e","value":""}]"#
        let (exchange, findings, losses) = try read(
            #""method":"GET","url":"\#(url)","queryString":\#(list)"#
        )
        #expect("\(exchange.request.target)" == target)
        let hasQuery = url.contains("z=1")
        #expect(findings.isEmpty == hasQuery)
        // If the two differ, the list cannot be kept.
        #expect(losses == (hasQuery ? ["request.queryString"] : []))
    }

    @Test func cookiesBecomeMissingFields() throws {
        let sent = #"[{"name":"a","value":"1"},{"name":"b","value":"x\r\ny"},{"name":"c"}]"#
        let set =
            #"[{"name":"s","value":"1","path":"/p","domain":"h","expires":"2026-11-20T14:03:00Z","#
            + #""httpOnly":true,"secure":false,"sameSite":"Lax"},{"name":"t;","value":"2"}]"#
        let (exchange, findings, losses) = try read(
            #""method":"GET","url":"http://h/","cookies":\#(sent)"#,
            #""status":200,"cookies":\#(set)"#
        )
        #expect(exchange.request.fields == ["Cookie": "a=1; c="])
        #expect(
            exchange.response?.fields == [
                "Set-Cookie": "s=1; Path=/p; Domain=h; Expires=Fri, 20 Nov 2026 14:03:00 GMT; "
                    + "HttpOnly; SameSite=Lax"
            ]
        )
        #expect(findings.count == 2)
        #expect(losses.contains("cookies"))
    }

    @Test func fieldsTakePrecedenceOverTheirLists() throws {
        let (exchange, findings, losses) = try read(
            #""method":"GET","url":"http://h/","headers":[{"name":"cookie","value":"a=1"}],"#
                + #""cookies":[{"name":"a","value":"1"},{"name":"b","value":"2"}]"#
        )
        #expect(exchange.request.fields == ["cookie": "a=1"])
        #expect(findings.isEmpty)
        #expect(losses == ["request.cookies"])
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("2024-02-29T23:59:59.9Z", "Thu, 29 Feb 2024 23:59:59 GMT"),
        ("1969-12-31T12:00:00Z", "Wed, 31 Dec 1969 12:00:00 GMT"),
    ])
    func datesOfCookies(_ time: String, _ date: String) throws {
        let (exchange, _, _) = try read(
            #""method":"GET","url":"http://h/""#,
            #""status":200,"cookies":[{"name":"s","value":"1","expires":"\#(time)"}]"#
        )
        #expect(exchange.response?.fields == ["Set-Cookie": "s=1; Expires=\(date)"])
    }

    @Test func aFragmentIsKeptAndNotSent() throws {
        for url in ["http://h/a?b#c", "/a?b#c"] {
            let (exchange, _, losses) = try read(#""method":"GET","url":"\#(url)""#)
            #expect(exchange.request.target == "/a?b")
            #expect(losses.isEmpty)
            #expect(try HARRoundTripTests.write([exchange]).0.contains("\"url\":\"\(url)\""))
        }
    }

    @Test(arguments: [
        ("h2", "HTTP/2"), ("http/2.0", "HTTP/2"), ("HTTP/2.0", "HTTP/2"), ("h3", "HTTP/3"),
        ("unknown", ""), ("", ""), ("1.1", "HTTP/1.1"), ("HTTP/1.0", "HTTP/1.0"), ("spdy", "spdy"),
    ])
    func versions(_ written: String, _ version: String) throws {
        let (exchange, _, _) = try read(
            #""method":"GET","url":"http://h/","httpVersion":"\#(written)""#
        )
        #expect("\(exchange.request.version)" == version)
    }

    @Test func listsOfValuesBecomeFields() throws {
        let (exchange, _, _) = try read(
            #""method":"GET","url":"http://h/","headers":[{"name":"a","value":["1",2,null,"3\n4"]},"#
                + #"{"name":"b","value":[]},{"name":"c","value":true,"comment":"x"}]"#
        )
        #expect(
            exchange.request.fields == [
                "a": "1", "a": "2", "a": "", "a": "3", "a": "4", "c": "true",
            ]
        )
        #expect(
            "\(exchange.har)"
                == #"{"entry":{"request":{"headers":[{"at":5,"name":"c","value":{"comment":"x"}}]}}}"#
        )
    }

    @Test func aMultipartFormWithoutABoundaryGetsOne() throws {
        let (exchange, findings, _) = try read(
            #""method":"POST","url":"http://h/","postData":{"mimeType":"multipart/form-data","#
                + #""params":[{"name":"a\"\r\nX: y","value":"1"}]}"#
        )
        let type = "\(exchange.request.contentType)"
        let boundary = try #require(type.split(separator: "=").last)
        #expect(type == "multipart/form-data; boundary=\(boundary)")
        let head = #"Content-Disposition: form-data; name="a%22%0D%0AX: y""#
        #expect(
            String(decoding: exchange.request.body.bytes, as: UTF8.self)
                == "--\(boundary)\r\n\(head)\r\n\r\n1\r\n--\(boundary)--\r\n"
        )
        #expect(findings == ["postData.mimeType (no boundary, added)"])
    }

    /// `.zhar` is detected by its content, like gzip.
    @Test(arguments: ["deflate", "gzip", "zstd"])
    func compressedFiles(_ coding: String) throws {
        var coded: [UInt8] = []
        let plain = Array(HARFixtures.playwright.utf8)
        try ContentEncoder(ContentCoding(name: coding)).encodeWhole(
            plain.span,
            appendingTo: &coded
        )
        #expect(outcome([coded]) == outcome([plain]))
        #expect(outcome(coded.map { [$0] }).elements == ["/d"])
    }

    @Test func deepEntriesAreBrokenRecords() {
        let deep = String(repeating: "[", count: 90) + String(repeating: "]", count: 90)
        let nested = #"{"request":{"method":"GET","url":"http://h/deep"},"_x":\#(deep)}"#
        let found = outcome([Array(#"{"log":{"entries":[\#(nested),\#(entry("/2"))]}}"#.utf8)])
        #expect(found.elements == ["/deep", "/2"] && found.end == nil)
    }

    @Test func elementsThatAreNotObjectsAreBrokenRecords() {
        let text = #"{"log":{"entries":[null,\#(entry("/1")),"a{",12,,[1],\#(entry("/2"))]}}"#
        let found = verifyChunking(Array(text.utf8))
        #expect(found.end == nil)
        #expect(found.elements.filter { $0.hasPrefix("/") } == ["/1", "/2"])
        #expect(found.elements.count == 7)
    }
}
