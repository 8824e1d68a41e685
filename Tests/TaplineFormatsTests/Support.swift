// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin

/// Seals an exchange through an empty chain, the only way to get a record.
func seal(_ exchange: Exchange, digests: Bool = false) -> Record? {
    var chain = RecordChain([], digests: digests)
    guard case .sealed(let record) = chain.seal(exchange) else { return nil }
    return record
}

func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: Array(copying: bytes), as: UTF8.self)
}

/// An exchange with a non-default value for every key of the schema.
func fullExchange() -> Exchange {
    var exchange = Exchange(
        id: ExchangeID(high: 0x0193_1234_5678_7abc, low: 0x8def_0123_4567_89ab),
        source: "proxy-2",
        state: .failed,
        started: Timestamp(microseconds: 1_795_183_380_123_456)
    )
    exchange.timing.dns = Microseconds(100)
    exchange.timing.connect = Microseconds(300)
    exchange.timing.tls = Microseconds(1900)
    exchange.timing.send = Microseconds(400)
    exchange.timing.wait = Microseconds(12_100)
    exchange.timing.firstEvent = Microseconds(12_900)
    exchange.timing.receive = Microseconds(3001)
    exchange.timing.total = Microseconds(15_500)
    exchange.connection = Connection(
        client: "127.0.0.1:51234",
        server: "[::1]:8443",
        isReused: true
    )
    exchange.connection.tls = TLSInfo(
        version: "TLSv1.3",
        cipher: "TLS_AES_128_GCM_SHA256",
        sni: "shop.test",
        alpn: "http/1.1",
        handshake: TLSInfo.Handshake(up: 517, down: 1200)
    )
    exchange.connection.serverTLS = TLSInfo(version: "TLSv1.2", cipher: "", sni: "", alpn: "h2")
    exchange.request = fullRequest()
    exchange.response = fullResponse()
    exchange.messages = fullMessages()
    exchange.bytes = ByteCounts(
        up: .init(line: 31, headers: 402, body: 311),
        down: .init(line: 17, headers: 230, body: 90_123),
        isExact: true
    )
    exchange.original = Original(method: "PUT", url: "https://prod.test/cart?x=1", status: 200)
    exchange.tags = ["team": "checkout", "k\"ey": "v\u{1}"]
    exchange.error = ExchangeError(code: "reset", message: "the server closed the connection")
    exchange.extra = fullExtra()
    return exchange
}

/// All parts that few exchanges have.
func fullExtra() -> ExchangeExtra {
    let moment = Timestamp(microseconds: 1_795_183_390_000_001)
    var extra = ExchangeExtra()
    extra.provenance = fullProvenance()
    extra.replay = ReplayFacts(
        of: ExchangeID(high: 0x0193_0000_0000_7abc, low: 0x8000_0000_0000_0001),
        due: moment,
        sent: Timestamp(microseconds: moment.microseconds + 70),
        status: 503
    )
    extra.notes = [
        ExchangeNote(text: "why\n\"503\"?", author: "Ann", mark: "red", at: moment),
        ExchangeNote(mark: "star"),
    ]
    extra.stream = StreamLegs(
        client: StreamLegs.Leg(
            id: 3,
            version: "HTTP/2",
            fields: StreamLegs.FieldBytes(up: 140, down: 90)
        ),
        server: StreamLegs.Leg(version: "HTTP/1.1")
    )
    extra.grpc = GRPCFacts(service: "shop.v1.Cart", method: "Add", status: 5, message: "no cart")
    return extra
}

/// Steps with a non-default value for every key.
func fullProvenance() -> [ProvenanceStep] {
    [
        ProvenanceStep(
            stage: "lua",
            hook: "request",
            verdict: "respond",
            isFailed: true,
            calls: 3,
            at: Microseconds(1100),
            duration: Microseconds(12),
            delay: Microseconds(5000),
            changes: [
                ProvenanceChange(part: "request.header", name: "x-\u{e9}", kind: "set"),
                ProvenanceChange(part: "tag", kind: "removed", count: 2),
                ProvenanceChange(part: "request.body", kind: "changed", before: 2048, after: 64),
            ],
            details: [ProvenanceDetail(name: "rule", value: "slow \"checkout\"")]
        ),
        ProvenanceStep(stage: "rules-2", hook: "response", skipped: "not_asked"),
        ProvenanceStep(
            stage: "rules",
            hook: "response",
            verdict: "proceed",
            decision: "changed",
            waited: Microseconds(2_500_000)
        ),
    ]
}

let oddBytes: [UInt8] = [0x61, 0xFF, 0xFE]

private func fullRequest() -> Request {
    var request = Request(
        method: "POST",
        target: "/cart?x=1",
        scheme: "https",
        authority: "shop.test:8443",
        version: "HTTP/1.1",
        fields: ["Host": "shop.test:8443", "X-A": "1", "x-a": "2", "E": ""],
        body: Body(
            bytes: Array("{\"a\":\"é\"}".utf8),
            size: 311,
            decodedSize: 10,
            contentType: "application/json; x=é"
        ),
        trailers: ["Digest": "x"]
    )
    let odd = oddBytes
    request.fields.append(name: "X-Odd".utf8.span, value: odd.span)
    return request
}

private func fullResponse() -> Response {
    Response(
        status: 503,
        reason: "Too \"busy\"",
        version: "HTTP/1.0",
        fields: ["Content-Type": "image/png", "Content-Encoding": "gzip"],
        body: Body(
            bytes: [0x1F, 0x8B, 0, 0xFF],
            size: 90_123,
            coding: "gzip",
            isTruncated: true,
            decodedSize: 400_000,
            contentType: "image/webp"
        ),
        trailers: ["Server-Timing": "db;dur=1"],
        interim: [
            InterimResponse(status: 103, reason: "Early Hints", fields: ["Link": "</a.css>"]),
            InterimResponse(status: 100),
        ]
    )
}

private func fullMessages() -> [StreamMessage] {
    [
        StreamMessage(
            direction: .up,
            at: Microseconds(3100),
            type: "text",
            bytes: Array("hé\n".utf8),
            size: 4
        ),
        StreamMessage(
            direction: .down,
            at: Microseconds(-1),
            type: "binary",
            bytes: [0xFF],
            size: 1000,
            isTruncated: true
        ),
        StreamMessage(direction: .down, type: "close", code: 1001, bytes: Array("bye".utf8)),
        StreamMessage(
            direction: .down,
            at: Microseconds(12_900),
            type: "event",
            event: "delta",
            eventID: "7",
            bytes: Array("{\"a\":1}".utf8),
            size: 30
        ),
    ]
}
