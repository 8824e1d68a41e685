// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import TaplineFormats

@Suite("An exchange, shown for people")
struct PrettyExchangeTests {
    private func example() -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0x0193_1234_5678_7abc, low: 0x8def_0123_4567_89ab),
            source: "proxy",
            started: Timestamp(microseconds: 1_795_183_380_123_456),
            request: Request(
                method: "POST",
                target: "/cart?x=1",
                scheme: "https",
                authority: "shop.test",
                fields: ["Host": "shop.test", "Content-Type": "application/json"],
                body: Body(Array(#"{"item":7}"#.utf8))
            ),
            response: Response(
                status: 201,
                reason: "Created",
                fields: ["Content-Type": "text/plain"],
                body: Body(Array("done\n".utf8))
            )
        )
        exchange.timing.total = Microseconds(15_500)
        return exchange
    }

    @Test("has request, response and facts")
    func simple() {
        #expect(
            pretty(example()) == """
                exchange    01931234-5678-7abc-8def-0123456789ab
                started     2026-11-20T14:03:00.123456Z
                source      proxy
                state       completed

                > POST https://shop.test/cart?x=1 HTTP/1.1
                  Host: shop.test
                  Content-Type: application/json

                  {
                    "item": 7
                  }
                  (10 B)

                < HTTP/1.1 201 Created
                  Content-Type: text/plain

                  done
                  (5 B)

                timing      total 15.5 ms

                """
        )
    }

    @Test("shows every key of the record schema")
    func whole() {
        #expect(pretty(fullExchange()) == Self.full)
    }

    private static let full = #"""
        exchange    01931234-5678-7abc-8def-0123456789ab
        started     2026-11-20T14:03:00.123456Z
        source      proxy-2
        state       failed
        error       reset: the server closed the connection

        > POST https://shop.test:8443/cart?x=1 HTTP/1.1
          Host: shop.test:8443
          X-A: 1
          x-a: 2
          E: 
          X-Odd: a\xff\xfe

          {
            "a": "é"
          }
          (311 B; 10 B decoded; 10 B kept)

          trailers
          Digest: x

        < HTTP/1.0 103 Early Hints
          Link: </a.css>

        < HTTP/1.0 100

        < HTTP/1.0 503 Too "busy"
          Content-Type: image/png
          Content-Encoding: gzip

          (the body cannot be decoded; gzip: data is damaged or in another coding)
          (88.0 KiB in gzip; 390 KiB decoded; truncated: only the first 4 B are kept)

          trailers
          Server-Timing: db;dur=1

        messages (4)
        > text at 3.1 ms 4 B
            hé
        < binary at -0.0 ms 1000 B (truncated: only the first 1 B are kept)
            00000000  ff                                                |.|
        < close 1001 3 B
            bye
        < event delta id 7 at 12.9 ms 30 B
            {
              "a": 1
            }

        timing      dns 0.1 ms, connect 0.3 ms, tls 1.9 ms, send 0.4 ms, wait 12.1 ms, first event 12.9 ms, receive 3.0 ms, total 15.5 ms
        connection  client 127.0.0.1:51234, server [::1]:8443, reused
        tls client  TLSv1.3, TLS_AES_128_GCM_SHA256, sni shop.test, alpn http/1.1, handshake 517 B up, 1.1 KiB down
        tls server  TLSv1.2, alpn h2
        bytes up    line 31 B, headers 402 B, body 311 B
        bytes down  line 17 B, headers 230 B, body 88.0 KiB
        original    PUT https://prod.test/cart?x=1 status 200
        tag         team=checkout
        tag         k"ey=v\x01
        provenance  set request.header x-é by lua (request)
        provenance  removed 2 of tag by lua (request)
        provenance  changed request.body (2.0 KiB to 64 B) by lua (request)
        replay      of 01930000-0000-7abc-8000-000000000001, due 2026-11-20T14:03:10.000001Z, sent 2026-11-20T14:03:10.000071Z, recorded with status 503
        note        why\n"503"?, by Ann, mark red, at 2026-11-20T14:03:10.000001Z
        note        mark star
        stream      client HTTP/2 stream 3 (fields uncompressed: 140 B up, 90 B down), server HTTP/1.1
        grpc        shop.v1.Cart/Add, status 5, message no cart

        """#

    @Test("says how a body was cut, coded and hashed")
    func bodies() throws {
        let text = String(repeating: "0123456789 abcdefghij\n", count: 2000)
        let coded = try ContentCoding.gzip.encode(text.utf8.span)
        var exchange = example()
        func shown(_ body: Body, maxLines: Int? = nil) -> [String] {
            exchange.response?.body = body
            let all = pretty(exchange, maxLines: maxLines).split(separator: "\n").map(String.init)
            let start = all.firstIndex { $0.hasPrefix("  Content-Type: text/plain") } ?? 0
            let end = all.firstIndex { $0.hasPrefix("timing") } ?? all.count
            return Array(all[(start + 1)..<end])
        }
        var whole = Body(bytes: coded, size: coded.count, coding: "gzip")
        whole.isHashed = true
        let lines = shown(whole, maxLines: 2)
        #expect(lines.count == 4)
        #expect(lines[0] == "  0123456789 abcdefghij")
        #expect(lines[2] == "  (not all is shown: --lines 2)")
        #expect(lines[3].hasPrefix("  (\(coded.count) B in gzip; 42.9 KiB decoded; sha256 of the "))
        #expect(lines[3].hasSuffix(")") && lines[3].count > 64)
        #expect(shown(whole).count == 2001)

        let half = Array(coded[..<(coded.count / 2)])
        let cut = shown(Body(bytes: half, size: coded.count, coding: "gzip", isTruncated: true))
        #expect(cut.count > 100)
        #expect(
            cut.last
                == "  (\(coded.count) B in gzip; truncated: only the first \(half.count) B are kept)"
        )
        let damaged = shown(Body(bytes: half, size: half.count, coding: "gzip"))
        #expect(damaged.dropLast().last?.hasPrefix("  (the rest cannot be decoded; gzip: ") == true)
        let foreign = shown(Body(bytes: half, size: half.count, coding: "aes"))
        #expect(foreign[0].hasPrefix("  (the body cannot be decoded; "), "\(foreign)")
        let absent = shown(Body(bytes: [], size: 70_000, isTruncated: true))
        #expect(absent == ["  (68.3 KiB; not kept)"])
        #expect(shown(Body()).isEmpty)
    }

    @Test("lists events once, although the body has them, too")
    func events() {
        var exchange = example()
        exchange.response?.fields = ["Content-Type": "text/event-stream; charset=utf-8"]
        exchange.response?.body = Body(Array("data: one\n\n".utf8))
        #expect(pretty(exchange).contains("\n\n  event 1\n    one\n  (11 B)\n"))
        exchange.messages = [
            StreamMessage(direction: .down, type: "event", bytes: Array("one".utf8))
        ]
        let shown = pretty(exchange)
        #expect(!shown.contains("event 1"))
        #expect(shown.contains("\n  (its messages are listed below; "))
        #expect(shown.contains("\nmessages (1)\n< event 3 B\n    one\n"))
    }

    @Test("leaves out a version and a reason that are unknown")
    func unknown() {
        var exchange = example()
        exchange.request.version = ""
        exchange.response?.version = ""
        exchange.response?.reason = ""
        let lines = pretty(exchange).split(separator: "\n")
        #expect(lines.contains("> POST https://shop.test/cart?x=1"))
        #expect(lines.contains("< 201"))
    }

    @Test("limits the lines of each body and of the messages")
    func limited() {
        var exchange = example()
        exchange.request.body = Body(Array("[1,2,3,4]".utf8))
        exchange.messages = (0..<50).map { _ in StreamMessage(direction: .up, bytes: [0x61]) }
        let shown = pretty(exchange, maxLines: 3)
        #expect(shown.contains("  [\n    1,\n    2,\n  (not all is shown: --lines 3)\n"))
        #expect(shown.contains("  done\n  (5 B)\n"))
        #expect(
            shown.contains("> text 1 B\n    a\n> text 1 B\n(not all is shown: --lines 3)\n"),
            "\(shown)"
        )
        #expect(pretty(exchange, maxLines: 0).contains("\n\n  (not all is shown: --lines 0)\n"))
    }

    @Test("never lets traffic reach the terminal unescaped, with colours or without")
    func escapes() {
        let evil = "\u{1B}]0;x\u{07}\u{9B}2J\u{202E}\r\n\u{08}"
        let bytes = Array(evil.utf8) + [0xFF, 0x9B]
        let odd = ByteString(bytes)
        var exchange = fullExchange()
        var fields = FieldSection()
        fields.append(name: bytes.span, value: bytes.span)
        exchange.request.method = odd
        exchange.request.target = odd
        exchange.request.authority = odd
        exchange.request.version = odd
        exchange.request.fields = fields
        exchange.request.trailers = fields
        exchange.response?.reason = odd
        exchange.response?.version = odd
        exchange.response?.fields = fields
        exchange.response?.body = Body(bytes: bytes, size: 9, coding: odd)
        exchange.messages = [
            StreamMessage(direction: .up, type: evil, event: evil, eventID: evil, bytes: bytes)
        ]
        exchange.source = evil
        exchange.tags[evil] = evil
        exchange.error = ExchangeError(code: evil, message: evil)
        exchange.connection.client = evil
        exchange.connection.tls = TLSInfo(version: evil, cipher: evil, sni: evil, alpn: evil)
        exchange.original = Original(method: odd, url: odd)
        exchange.extra?.notes = [ExchangeNote(text: evil, author: evil, mark: evil)]
        exchange.extra?.grpc = GRPCFacts(service: evil, method: evil, message: evil)
        for isColoured in [false, true] {
            let shown = pretty(exchange, isColoured: isColoured)
            let plain = isColoured ? Self.withoutStyles(shown) : shown
            for scalar in plain.unicodeScalars where scalar != "\n" && scalar.isUnsafeOnTerminal {
                Issue.record("lets \(scalar.value) pass")
            }
        }
    }

    /// Removes `ESC [ digits m`, which only this module writes.
    private static func withoutStyles(_ text: String) -> String {
        text.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
    }
}
