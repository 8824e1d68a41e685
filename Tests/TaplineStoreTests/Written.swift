// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import SQLiteSink

/// Databases that the sink `sqlite` writes.
enum Written {
    /// Writes exchanges to a database; adds to an existing one.
    static func database(
        _ exchanges: [Exchange],
        at path: String,
        _ change: (inout SQLiteSinkSettings) -> Void = { _ in }
    ) throws {
        var settings = SQLiteSinkSettings(path: path)
        change(&settings)
        let context = SinkContext(id: "sqlite", now: { Timestamp(microseconds: 0) })
        let sink = try SQLiteSink(settings: settings, context: context)
        _ = try sink.write(exchanges.map(seal))
        try sink.close()
    }

    /// Selects every index that the sink offers.
    static func addIndexes(_ settings: inout SQLiteSinkSettings) {
        settings.indexes = ExchangeIndex.selectable
    }

    /// Writes exchanges to a database that stores bodies of more than 1000 bytes as files.
    static func databaseWithFiles(
        _ exchanges: [Exchange],
        at path: String,
        compress: Bool = false,
        mergesAtOnce: Bool = false
    ) throws {
        try database(exchanges, at: path) {
            $0.inlineBodyMax = 1000
            $0.compress = compress
            if mergesAtOnce { $0.mergeCount = 1 }
        }
    }

    /// A sink that stays open.
    static func open(_ path: String) throws -> any Sink {
        let context = SinkContext(id: "sqlite", now: { Timestamp(microseconds: 0) })
        return try SQLiteSink(settings: SQLiteSinkSettings(path: path), context: context)
    }

    static func seal(_ exchange: Exchange) throws -> Record {
        try seal(exchange, digests: true)
    }

    static func seal(_ exchange: Exchange, digests: Bool) throws -> Record {
        var chain = RecordChain(digests: digests)
        guard case .sealed(let record) = chain.seal(exchange) else {
            throw SinkError(.refused, "not sealed")
        }
        return record
    }
}

extension Exchange {
    /// An exchange that has every part that a record can have.
    static func whole(_ number: Int) -> Exchange {
        var exchange = example(number, status: 502, body: String(repeating: "b", count: 5000))
        exchange.state = .failed
        exchange.error = ExchangeError(code: "reset", message: "connection reset by peer")
        exchange.request.method = "POST"
        exchange.request.target = "/cart?x=1"
        exchange.request.scheme = "https"
        exchange.request.body = Body(
            bytes: Array(repeating: 0x61, count: 300),
            size: 311,
            coding: "zstd",
            isTruncated: true,
            decodedSize: 400_000,
            contentType: ByteString([0xFF, 0x2F])
        )
        exchange.request.trailers = ["X-Sum": "1"]
        let odd: [UInt8] = [0xFF, 0x00, 0xFE]
        exchange.request.fields.append(name: odd.span, value: odd.span)
        exchange.response?.version = "HTTP/2"
        exchange.response?.reason = ByteString([0xC3, 0x28])
        exchange.response?.trailers = ["X-Late": "yes"]
        exchange.response?.interim = [
            InterimResponse(status: 103, reason: "Early Hints", fields: ["Link": "</a.css>"])
        ]
        exchange.tags = ["team": "checkout", "zone": "\u{e9}\"\n"]
        exchange.original = Original(method: "PUT", url: "https://prod.test/", status: 404)
        exchange.har = #"{"pageref":"page_1","_tool":[1.50,null]}"#
        addDetails(to: &exchange)
        addExtra(to: &exchange)
        return exchange
    }

    private static func addDetails(to exchange: inout Exchange) {
        exchange.timing.dns = Microseconds(100)
        exchange.timing.connect = Microseconds(300)
        exchange.timing.tls = Microseconds(1900)
        exchange.timing.send = Microseconds(400)
        exchange.timing.firstEvent = Microseconds(12_900)
        exchange.connection = Connection(client: "[::1]:1", server: "10.0.0.1:443", isReused: true)
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
            down: .init(line: 17, headers: 230, body: 5000),
            isExact: true
        )
        exchange.messages = [
            StreamMessage(
                direction: .up,
                at: Microseconds(3100),
                bytes: Array("hi".utf8),
                size: 12,
                isTruncated: true
            ),
            StreamMessage(direction: .down, type: "binary", bytes: [0xFF]),
            StreamMessage(direction: .up, type: "close", code: 1000, bytes: Array("bye".utf8)),
            StreamMessage(
                direction: .down,
                type: "event",
                event: "delta",
                eventID: "7",
                bytes: Array("{}".utf8)
            ),
        ]
    }

    private static func addExtra(to exchange: inout Exchange) {
        let moment = Timestamp(microseconds: 1_763_647_380_123_456)
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
            )
        ]
        extra.replay = ReplayFacts(of: exchange.id, due: moment, sent: moment)
        extra.notes = [ExchangeNote(text: "why?", author: "Ann", mark: "red", at: moment)]
        extra.stream = StreamLegs(
            client: StreamLegs.Leg(id: 3, version: "HTTP/2"),
            server: StreamLegs.Leg(id: 1, version: "HTTP/1.1")
        )
        extra.grpc = GRPCFacts(service: "shop.Cart", method: "Add", status: 5, message: "none")
        exchange.extra = extra
    }
}
