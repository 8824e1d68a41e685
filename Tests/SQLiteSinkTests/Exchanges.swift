// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import SQLiteSink

/// Exchanges to store.
enum Exchanges {
    static let start: Int64 = 1_763_647_380_123_456

    static func id(_ number: Int) -> ExchangeID {
        ExchangeID(
            started: Timestamp(microseconds: start + Int64(number)),
            random: 0,
            UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        )
    }

    /// A small, complete exchange.
    static func make(_ number: Int, path: String = "/items/17", body: String = "") -> Exchange {
        var exchange = Exchange(
            id: id(number),
            source: "replay",
            started: Timestamp(microseconds: start + Int64(number))
        )
        exchange.request = Request(
            method: "GET",
            target: ByteString(path),
            scheme: "https",
            authority: "shop.test",
            fields: ["Host": "shop.test", "Accept": "*/*"]
        )
        exchange.response = Response(
            status: 200,
            reason: "OK",
            fields: ["Content-Type": "text/plain"],
            body: body.isEmpty ? Body() : Body(Array(body.utf8))
        )
        exchange.timing.total = Microseconds(15_500)
        return exchange
    }

    /// An exchange that uses every part of the record schema.
    static func full(_ number: Int) -> Exchange {
        var exchange = make(number, path: "/cart?x=1")
        exchange.state = .failed
        exchange.request.method = "POST"
        exchange.request.body = Body(
            bytes: Array(repeating: 0x61, count: 300),
            size: 311,
            isTruncated: true
        )
        exchange.request.trailers = ["X-Sum": "1"]
        exchange.request.fields.append(
            name: "X-Odd",
            value: String(decoding: [0x22, 0x5C, 0x09], as: UTF8.self)
        )
        let bytes: [UInt8] = [0xFF, 0x00, 0xFE]
        exchange.request.fields.append(name: bytes.span, value: bytes.span)
        exchange.response = Response(
            status: 200,
            reason: ByteString([0xC3, 0x28]),
            version: "HTTP/2",
            fields: ["Set-Cookie": "a=1", "set-cookie": "b=2"],
            body: Body(
                bytes: [0x1F, 0x8B, 0x00],
                size: 90_123,
                coding: "gzip",
                isTruncated: true,
                decodedSize: 400_000,
                contentType: "image/webp; x=\u{e9}"
            ),
            trailers: ["X-Late": "yes"],
            interim: [
                InterimResponse(status: 103, reason: "Early Hints", fields: ["Link": "</a.css>"])
            ]
        )
        addDetails(to: &exchange)
        exchange.original = Original(
            method: "PUT",
            url: "https://prod.test/cart?x=1",
            status: 404
        )
        exchange.tags = ["team": "checkout", "zone": "\u{e9}\"\n"]
        exchange.error = ExchangeError(code: "reset", message: "connection reset by peer")
        return exchange
    }

    private static func addDetails(to exchange: inout Exchange) {
        exchange.timing = Timing()
        exchange.timing.dns = Microseconds(100)
        exchange.timing.connect = Microseconds(300)
        exchange.timing.tls = Microseconds(1900)
        exchange.timing.send = Microseconds(400)
        exchange.timing.wait = Microseconds(12_100)
        exchange.timing.firstEvent = Microseconds(12_900)
        exchange.timing.receive = Microseconds(3000)
        exchange.timing.total = Microseconds(15_500)
        exchange.connection = Connection(
            client: "127.0.0.1:51234",
            server: "127.0.0.1:8443",
            isReused: true
        )
        exchange.connection.tls = TLSInfo(
            version: "TLSv1.3",
            cipher: "TLS_AES_128_GCM_SHA256",
            sni: "shop.test",
            alpn: "h2",
            handshake: TLSInfo.Handshake(up: 517, down: 1200)
        )
        exchange.connection.serverTLS = TLSInfo(version: "TLSv1.2")
        exchange.bytes = ByteCounts(
            up: .init(line: 31, headers: 402, body: 311),
            down: .init(line: 17, headers: 230, body: 90_123),
            isExact: true
        )
        exchange.messages = [
            StreamMessage(
                direction: .up,
                at: Microseconds(3100),
                type: "text",
                bytes: Array("hi".utf8),
                size: 12,
                isTruncated: true
            ),
            StreamMessage(direction: .down, type: "binary", bytes: [0xFF]),
            StreamMessage(direction: .up, type: "close", code: 1000, bytes: Array("bye".utf8)),
            StreamMessage(
                direction: .down,
                at: Microseconds(12_900),
                type: "event",
                event: "delta",
                eventID: "7",
                bytes: Array("{}".utf8),
                size: 30
            ),
        ]
        exchange.extra = extra()
    }

    /// All parts that few exchanges have.
    static func extra() -> ExchangeExtra {
        let moment = Timestamp(microseconds: start)
        var extra = ExchangeExtra()
        extra.provenance = [
            ProvenanceStep(
                stage: "lua",
                hook: "request",
                verdict: "proceed",
                at: Microseconds(1100),
                duration: Microseconds(12),
                changes: [
                    ProvenanceChange(part: "request.header", name: "x", kind: "set"),
                    ProvenanceChange(part: "request.body", kind: "changed", before: 9, after: 0),
                ],
                details: [ProvenanceDetail(name: "rule", value: "a")]
            ),
            ProvenanceStep(
                stage: "rules",
                hook: "request",
                verdict: "proceed",
                decision: "answered",
                waited: Microseconds(5000)
            ),
        ]
        extra.replay = ReplayFacts(of: id(9), due: moment, sent: moment)
        extra.notes = [ExchangeNote(text: "why?", author: "Ann", mark: "red", at: moment)]
        extra.stream = StreamLegs(
            client: StreamLegs.Leg(id: 3, version: "HTTP/2"),
            server: StreamLegs.Leg(id: 1, version: "HTTP/1.1")
        )
        extra.grpc = GRPCFacts(service: "shop.Cart", method: "Add", status: 5, message: "none")
        return extra
    }

    static func seal(_ exchange: Exchange) throws -> Record {
        var chain = RecordChain(digests: true)
        guard case .sealed(let record) = chain.seal(exchange) else {
            throw SinkError(.refused, "not sealed")
        }
        return record
    }

    static func records(
        _ numbers: Range<Int>,
        body: (Int) -> String = { _ in "" }
    ) throws -> [Record] {
        try numbers.map { try seal(make($0, path: "/items/\($0)", body: body($0))) }
    }

    /// A body that is stored in a row of its own.
    static func text(_ number: Int, bytes: Int = 500) -> String {
        let head = "{\"number\":\(number),\"text\":\""
        return head + String(repeating: "x", count: max(0, bytes - head.utf8.count - 2)) + "\"}"
    }
}

extension SQLiteSink {
    convenience init(
        _ path: String,
        log: Log = .none,
        at now: Int64 = Exchanges.start,
        _ change: (inout SQLiteSinkSettings) -> Void = { _ in }
    ) throws {
        var settings = SQLiteSinkSettings(path: path)
        change(&settings)
        try self.init(
            settings: settings,
            context: SinkContext(
                id: "sqlite",
                log: log,
                now: { Timestamp(microseconds: now) }
            )
        )
    }
}
