// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct SchemaTextTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    @Test func messagesHaveAView() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write([Exchanges.seal(Exchanges.full(0))])
        try sink.close()
        #expect(
            try Shell.query(
                path,
                "SELECT position, direction, at_ms, type, code, text, base64 FROM messages"
            )
                == "0|up|3.1|text||hi|\n1|down||binary|||/w==\n2|up||close|1000|bye|\n3|down|12.9|event||{}|"
        )
        #expect(
            try Shell.query(
                path,
                "SELECT event, event_id, text FROM messages WHERE event IS NOT NULL"
            ) == "delta|7|{}"
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

    @Test func notesAndTagsOfPeopleAreInTheView() throws {
        var exchange = Exchanges.make(0)
        exchange.tags = ["team": "a", "zone": "b"]
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(text: "why?", mark: "red"), ExchangeNote(mark: "star")]
        exchange.extra = extra
        let sink = try SQLiteSink(path)
        _ = try sink.write([Exchanges.seal(exchange), Exchanges.seal(Exchanges.make(1))])
        try sink.close()
        _ = try Shell.execute(path, "INSERT INTO tags VALUES (1, 'team', NULL), (1, 'x', '7')")
        #expect(
            try Shell.query(path, "SELECT seq, tags, marks, notes FROM traffic ORDER BY seq")
                == "1|{\"zone\":\"b\",\"x\":\"7\"}|red star|why?\n2|||"
        )
        #expect(try Shell.query(path, "SELECT extra IS NULL FROM exchanges") == "1\n1")
    }

    @Test func notesAndTagsAreRemovedWithTheirExchange() throws {
        let sink = try SQLiteSink(path)
        _ = try sink.write([Exchanges.seal(Exchanges.full(0)), Exchanges.seal(Exchanges.full(1))])
        try sink.close()
        _ = try Shell.execute(
            path,
            "INSERT INTO tags VALUES (1, 'a', 'b'), (2, 'a', 'b'); DELETE FROM exchanges WHERE seq = 1"
        )
        #expect(try Shell.query(path, "SELECT exchange, text FROM notes") == "2|why?")
        #expect(try Shell.query(path, "SELECT exchange, value FROM tags") == "2|b")
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
                == "/a/1|b=2|/a/{id}"
        )
    }
}
