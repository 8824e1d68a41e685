// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import SQLiteSink

@Suite struct ExchangeRowsTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    @Test func everyPartComesBack() throws {
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
    func bodiesOfAllSizesComeBack(compress: Bool) throws {
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

    @Test func messagesHaveAView() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write([Exchanges.seal(Exchanges.full(0))])
        try sink.close()
        #expect(
            try Shell.query(
                path,
                "SELECT position, direction, at_ms, type, text, base64 FROM messages"
            )
                == "0|up|3.1|text|hi|\n1|down||binary||/w=="
        )
        #expect(
            try Shell.query(
                path,
                "SELECT name, value FROM headers WHERE direction = 'response trailer'"
            ) == "X-Late|yes"
        )
        #expect(
            try Shell.query(path, "SELECT name FROM headers WHERE position = 3")
                == #"{"base64":"/wD+"}"#
        )
    }

    @Test func addressesAreReadable() throws {
        var exchanges = (0..<6).map { Exchanges.make($0, path: "/a/1?b=2") }
        exchanges[1].request.authority = "Shop.Test:8443"
        exchanges[2].request.target = "http://other.test/x?y=/z"
        exchanges[3].request.method = "CONNECT"
        exchanges[3].request.target = "shop.test:443"
        exchanges[4].request.scheme = ByteString()
        exchanges[5].request.target = "*"
        let sink = try SQLiteSink(path)
        _ = try sink.write(exchanges.map(Exchanges.seal))
        try sink.close()
        for (row, exchange) in zip(
            try Shell.query(path, "SELECT url, host, port FROM traffic").split(separator: "\n"),
            exchanges
        ) {
            let parts = row.split(separator: "|", omittingEmptySubsequences: false)
            #expect(String(parts[0]) == exchange.request.url.description)
            #expect(String(parts[1]) == exchange.request.host.description.lowercased())
            #expect(String(parts[2]) == exchange.request.port.map { "\($0)" } ?? "")
        }
        #expect(
            try Shell.query(path, "SELECT path, query, template FROM traffic WHERE port = 8443")
                == "/a/1|b=2|/a/*"
        )
    }
}
