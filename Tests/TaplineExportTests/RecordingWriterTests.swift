// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TestSupport
import Testing

@testable import TaplineExport

@Suite("Recordings")
struct RecordingWriterTests {
    @Test("in NDJSON and HAR are read again")
    func readAgain() throws {
        let exchanges = [Exchange.shop("POST", "/a", body: "\u{0}ü"), .shop()]
        for format in [ExportFormat.har, .ndjson] {
            let exported = Exported(format, exchanges)
            var reader = RecordingReader(file: "exported")
            var found: [Exchange] = []
            try reader.read(exported.bytes.span) { found.append(try $0.get()) }
            try reader.finish { found.append(try $0.get()) }
            #expect(found.map(\.request.url) == exchanges.map(\.request.url))
            #expect(found.map(\.request.body.bytes) == exchanges.map(\.request.body.bytes))
        }
        #expect(Exported(.ndjson, exchanges).losses.isEmpty)
    }

    @Test(
        "every format writes no exchange at all, and any exchange",
        arguments: ExportFormat.allCases
    )
    func everything(format: ExportFormat) throws {
        let none = Exported(format, [])
        #expect(none.losses.isEmpty)
        var exchanges = ExportCases.all(port: 1).map { request in
            var exchange = Exchange.shop()
            exchange.request = request
            return exchange
        }
        exchanges.append(Exchange(id: ExchangeID(high: 0, low: 0)))
        var random = Random(seed: 3)
        for _ in 0..<200 {
            var exchange = Exchange.shop()
            exchange.request.method = ByteString(random.bytes(upTo: 5))
            exchange.request.target = ByteString(random.bytes(upTo: 20))
            exchange.request.authority = ByteString(random.bytes(upTo: 9))
            let name = random.bytes(upTo: 4)
            exchange.request.fields.append(name: name.span, value: random.bytes(upTo: 9).span)
            exchange.response?.status = random.below(2000) - 500
            exchange.response?.fields.append(name: name.span, value: random.bytes(upTo: 9).span)
            exchange.response?.body = Body(random.bytes(upTo: 30))
            exchange.response?.body.coding = random.pick(["", "gzip", "x"])
            exchange.started = Timestamp(microseconds: Int64(truncatingIfNeeded: random.next()))
            exchange.timing.total = Microseconds(Int64(truncatingIfNeeded: random.next()))
            exchanges.append(exchange)
        }
        let all = Exported(format, exchanges)
        #expect(all.bytes.count > none.bytes.count)
        if [.postman, .openapi, .har].contains(format) { _ = try Tree(all.bytes) }
    }
}
