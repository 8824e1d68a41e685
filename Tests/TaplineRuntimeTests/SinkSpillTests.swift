// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSegments
import TaplineSystem
import TaplineTesting
import Testing

@testable import TaplineRuntime

/// An exchange in which every property differs from its default.
private func fullExchange() -> Exchange {
    var exchange = Exchange(
        id: ExchangeID(high: 0x0193_1234_5678_7abc, low: 0x8def_0123_4567_89ab),
        source: "proxy-2",
        state: .failed,
        started: Timestamp(microseconds: 1_795_183_380_123_456)
    )
    exchange.timing = Timing()
    exchange.timing.dns = Microseconds(100)
    exchange.timing.connect = Microseconds(300)
    exchange.timing.tls = Microseconds(1900)
    exchange.timing.send = Microseconds(400)
    exchange.timing.wait = Microseconds(12_100)
    exchange.timing.receive = Microseconds(3001)
    exchange.timing.total = Microseconds(15_500)
    exchange.connection = Connection(client: "127.0.0.1:1", server: "[::1]:2", isReused: true)
    exchange.connection.tls = TLSInfo(
        version: "TLSv1.3",
        cipher: "TLS_AES_128_GCM_SHA256",
        sni: "shop.test",
        alpn: "http/1.1",
        handshake: TLSInfo.Handshake(up: 517, down: 1200)
    )
    exchange.connection.serverTLS = TLSInfo(
        version: "TLSv1.2",
        cipher: "c",
        sni: "s",
        alpn: "h2",
        handshake: TLSInfo.Handshake(up: 1, down: 2)
    )
    fillMessages(of: &exchange)
    return exchange
}

private func fillMessages(of exchange: inout Exchange) {
    exchange.request = Request(
        method: "POST",
        target: "/cart?x=1",
        scheme: "https",
        authority: "shop.test:8443",
        version: "HTTP/2",
        fields: ["Host": "shop.test:8443", "X-A": "1", "x-a": "2", "E": ""],
        body: fullBody([0x00, 0xFF, 0x22]),
        trailers: ["Digest": "x"]
    )
    exchange.response = Response(
        status: 503,
        reason: ByteString([0x62, 0xFE]),
        version: "HTTP/1.0",
        fields: ["Content-Type": "image/png"],
        body: fullBody(Array("{\"a\":\"é\"}".utf8)),
        trailers: ["T": "y"],
        interim: [InterimResponse(status: 103, reason: "Early Hints", fields: ["Link": "<a>"])]
    )
    exchange.messages = [
        StreamMessage(
            direction: .down,
            at: Microseconds(3100),
            type: "close",
            event: "e",
            eventID: "8",
            code: 1001,
            bytes: [0xC3, 0x28],
            size: 12,
            isTruncated: true
        ),
        StreamMessage(
            direction: .down,
            type: "event",
            event: "delta",
            eventID: "7",
            bytes: Array("{}".utf8)
        ),
    ]
    exchange.timing.firstEvent = Microseconds(12_900)
    var extra = ExchangeExtra()
    let change = ProvenanceChange(part: "url", kind: "changed")
    extra.provenance = [ProvenanceStep(stage: "lua", hook: "request", changes: [change])]
    extra.replay = ReplayFacts(of: ExchangeID(high: 1, low: 2), due: exchange.started)
    extra.notes = [ExchangeNote(text: "why?", author: "Ann", mark: "red", at: exchange.started)]
    extra.stream = StreamLegs(client: StreamLegs.Leg(id: 3, version: "HTTP/2"))
    extra.grpc = GRPCFacts(service: "shop.Cart", method: "Add", status: 5, message: "none")
    exchange.extra = extra
    exchange.bytes = ByteCounts(
        up: .init(line: 31, headers: 402, body: 311),
        down: .init(line: 17, headers: 230, body: 90_123),
        isExact: true
    )
    exchange.original = Original(method: "PUT", url: "https://prod.test/cart?x=1", status: 200)
    exchange.tags = ["team": "checkout", "k\"ey": "v\u{1}"]
    exchange.error = ExchangeError(code: "reset", message: "the server closed the connection")
    exchange.har = ByteString("{\"page\":{\"id\":\"a\"}}")
}

private func fullBody(_ bytes: [UInt8]) -> Body {
    var body = Body(
        bytes: bytes,
        size: 311,
        coding: "gzip",
        isTruncated: true,
        decodedSize: 10,
        contentType: "application/json; x=é"
    )
    body.isHashed = true
    return body
}

/// An exchange with the same parts, in which every property has its default.
private func plainExchange() -> Exchange {
    var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
    exchange.timing = Timing()
    let tls = TLSInfo(handshake: TLSInfo.Handshake(up: 0, down: 0))
    exchange.connection.tls = tls
    exchange.connection.serverTLS = tls
    exchange.response = Response(interim: [InterimResponse(status: 0)])
    exchange.messages = [StreamMessage(direction: .up, bytes: [])]
    exchange.bytes = ByteCounts()
    exchange.error = ExchangeError(code: "")
    return exchange
}

/// The leaf properties of a value, by their paths.
private func leaves(_ value: Any, _ path: String = "") -> [String: String] {
    if value is ByteString { return [path: "\(value)"] }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, let (_, some) = mirror.children.first {
        return leaves(some, path)
    }
    let isList = mirror.displayStyle == .collection
    let isPart = [.struct, .class].contains(mirror.displayStyle) || isList && path.hasSuffix("s")
    guard isPart, !mirror.children.isEmpty else { return [path: "\(value)"] }
    var result: [String: String] = [:]
    for (index, child) in mirror.children.enumerated() {
        let name = child.label ?? "\(index)"
        result.merge(leaves(child.value, "\(path).\(name)")) { $1 }
    }
    return result
}

@Suite("The spill of a sink")
struct SinkSpillTests {
    private let budget = MemoryBudget(limit: 1 << 30)

    private func entry(_ records: [Record]) -> QueueEntry {
        QueueEntry(RecordBatch(records, memory: 0, budget: budget))
    }

    private func sealed(_ exchange: Exchange, digests: Bool = false) throws -> Record {
        var chain = RecordChain(digests: digests)
        guard case .sealed(let record) = chain.seal(exchange) else {
            throw SinkError(.refused, "not sealed")
        }
        return record
    }

    @Test("restores every property of an exchange")
    func everyProperty() throws {
        let full = fullExchange()
        // The exchange of this test must use all properties; add new ones to it.
        let plain = leaves(plainExchange())
        let unused = leaves(full).filter { plain[$0.key] == $0.value }.keys
            .filter { !$0.hasSuffix(".unused") }
        #expect(unused.sorted() == [])
        let record = try sealed(full)
        let spill = spill()
        _ = try spill.append([entry([record])])
        let result = spill.read(10)
        let back = try #require(result.batch?.records.first)
        #expect(back.exchange == full)
        #expect(back.requestDigest == record.requestDigest)
        #expect(back.responseDigest == record.responseDigest && back.responseDigest != nil)
        #expect(back.memory == record.memory && result.bytes == 0 && result.lost == 0)
    }

    @Test("returns records in order, as many as requested, and frees their space")
    func order() throws {
        let spill = spill()
        var peak = 0
        for start in stride(from: 0, to: 300, by: 10) {
            let records = try (start..<start + 10).map {
                try sealed(.example($0, body: String(repeating: "x", count: 100_000)))
            }
            // Only the range of an entry is moved.
            var entry = entry(records)
            entry.range = 2..<10
            peak = try spill.append([entry])
        }
        // There are several files by now.
        #expect(peak > 2 * SegmentLog.Limits().segmentBytes)
        var targets: [String] = []
        var sizes: [Int] = []
        while let batch = spill.read(7).batch {
            #expect(batch.records.count <= 7)
            targets += batch.records.map { "\($0.exchange.request.target)" }
            sizes.append(spill.read(0).bytes)
        }
        #expect(targets == (0..<300).filter { $0 % 10 >= 2 }.map { "/items/\($0)" })
        #expect(sizes == sizes.sorted(by: >) && sizes.last == 0)
        #expect(spill.read(1).batch == nil)
    }

    @Test("handles records that are longer than one read")
    func longRecords() throws {
        let spill = spill()
        let long = String(repeating: "é", count: 3 << 20)
        let records = try [
            sealed(.example(1)), sealed(.example(2, body: long)), sealed(.example(3)),
        ]
        _ = try spill.append([entry(records)])
        var back: [Record] = []
        while let batch = spill.read(100).batch { back += batch.records }
        #expect(back.map(\.exchange) == records.map(\.exchange))
    }

    @Test("stores no more than its limit, and no part of an entry that does not fit")
    func limit() throws {
        let spill = spill(limit: 2000)
        let record = try sealed(.example(1))
        let size = try spill.append([entry([record])])
        #expect(0 < size && size <= 2000)
        #expect(throws: SpillError.self) {
            try spill.append([entry(Array(repeating: record, count: 10))])
        }
        let batch = spill.read(100).batch
        #expect(batch?.records.count == 1)
        _ = try spill.append([entry([record])])
    }

    @Test("leaves no name in its folder, and names a folder that it cannot use")
    func files() throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "spill")
        defer { try? FileSystem.removeFolder(folder) }
        let spill = spill(in: folder)
        _ = try spill.append([entry([sealed(.example(1))])])
        #expect(try FileSystem.names(in: folder).isEmpty)
        spill.discard()
        let missing = self.spill(in: "\(folder)/missing")
        let error = #expect(throws: SpillError.self) {
            try missing.append([entry([sealed(.example(1))])])
        }
        #expect(error?.description.contains("\(folder)/missing") == true)
    }

    private func spill(limit: Int = 1 << 30, in folder: String? = nil) -> SinkSpill {
        let folder = folder ?? FileSystem.spillFolder
        return SinkSpill(folder: folder, limit: limit, digests: false, budget: budget)
    }
}
