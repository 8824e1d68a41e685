// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct ExchangeRowsTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    @Test func everyPartIsRestored() throws {
        var plain = Exchange(id: Exchanges.id(2))
        plain.request.scheme = ByteString()
        plain.request.method = ByteString([0xFF])
        plain.request.target = ByteString([0x2F, 0x00, 0xC3])
        plain.state = .cancelled
        plain.error = ExchangeError(code: "")
        var empty = Exchange(id: ExchangeID(high: .max, low: .max), response: Response(status: 0))
        empty.connection.tls = TLSInfo()
        empty.request.body = Body(bytes: [], size: 0)
        empty.started = Timestamp(microseconds: -5)
        let exchanges = [Exchanges.full(0), Exchanges.make(1, body: "x"), plain, empty]
        let sink = try SQLiteSink(path)
        _ = try sink.write(exchanges.map(Exchanges.seal))
        try sink.close()
        let read = try ExchangeReader(path).all()
        for (found, expected) in zip(read, exchanges) { #expect(found == expected) }
        #expect(read.count == 4)
    }

    @Test(arguments: [false, true])
    func bodiesOfAllSizesAreRestored(compress: Bool) throws {
        var exchanges: [Exchange] = []
        for (number, size) in [0, 1, 64, 65, 1000, 1001, 4096, 4097, 70_000].enumerated() {
            var exchange = Exchanges.make(number)
            exchange.request.body = Body((0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) })
            exchange.response?.body = Body(Array(Exchanges.text(number, bytes: size).utf8))
            exchanges.append(exchange)
        }
        let sink = try SQLiteSink(path) {
            $0.inlineBodyMax = 4096
            $0.compress = compress
        }
        _ = try sink.write(exchanges.map(Exchanges.seal))
        try sink.close()
        let read = try ExchangeReader(path, inflating: compress).all()
        for (found, expected) in zip(read, exchanges) { #expect(found == expected) }
        #expect(read.count == exchanges.count)
        #expect(try Shell.query(path, "SELECT count(*) FROM body_files") == "4")
        #expect(
            try Shell.query(
                path,
                """
                SELECT max(typeof(content) = 'text'), max(typeof(content) = 'blob'
                  AND length(content) < size) FROM bodies
                """
            ) == (compress ? "1|1" : "1|0")
        )
    }
}
