// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("Values of a store")
struct StoreValuesTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func values(
        _ kind: StoreValueKind,
        _ prefix: String = "",
        limit: Int = 100,
        of name: String = "traffic.db"
    ) throws -> [String] {
        try Store(folder(name))
            .values(kind, beginning: prefix, limit: limit, within: .seconds(60)).map(\.text)
    }

    private static let exchanges = (0..<300).map { number in
        var exchange = Exchange.example(number)
        exchange.request.authority = ByteString("host-\(number % 30).test:\(8000 + number % 2)")
        exchange.request.target = ByteString("/api-\(number % 7)/\(number)/items")
        return exchange
    }

    private static let hosts = (0..<30).map { "host-\($0).test" }.sorted()
    private static let ids = exchanges.reversed().map(\.id.description)

    @Test("are hosts and routes in order, and ids, the newest first")
    func database() throws {
        try Written.database(Self.exchanges, at: path)
        #expect(try values(.hosts) == Self.hosts)
        #expect(try values(.hosts, "host-2") == Self.hosts.filter { $0.hasPrefix("host-2") })
        #expect(try values(.hosts, limit: 3) == Array(Self.hosts.prefix(3)))
        #expect(try values(.hosts, "x").isEmpty)
        #expect(try values(.routes) == (0..<7).map { "/api-\($0)/{id}/items" })
        #expect(try values(.routes, "/api-3/{") == ["/api-3/{id}/items"])
        #expect(try values(.ids) == Array(Self.ids.prefix(100)))
        let start = String(Self.ids[0].prefix(8))
        #expect(try values(.ids, start, limit: 5) == Array(Self.ids.prefix(5)))
        #expect(try values(.ids, Self.ids[7]) == [Self.ids[7]])
        #expect(try values(.ids, "zz").isEmpty)
    }

    @Test("are found in recordings, too")
    func recording() throws {
        try folder.write(try Recorded.bytes(Self.exchanges, .ndjson, .gzip), to: "traffic.gz")
        #expect(try values(.hosts, of: "traffic.gz") == Self.hosts)
        #expect(try values(.routes, "/api-6", of: "traffic.gz") == ["/api-6/{id}/items"])
        #expect(try values(.ids, Self.ids[7], of: "traffic.gz") == [Self.ids[7]])
        let store = try Store(folder("traffic.gz"))
        #expect(try store.values(.ids, within: .zero).count == 64)
    }

    @Test("have routes of the first schema in the present spelling")
    func older() throws {
        try Written.database(Self.exchanges, at: path)
        let connection = try SQLiteConnection(path: path)
        try connection.execute(
            "UPDATE paths SET template = replace(template, '{id}', '*'); PRAGMA user_version = 1"
        )
        try connection.close()
        #expect(try values(.routes, "/api-3/{i") == ["/api-3/{id}/items"])
        #expect(try values(.hosts) == Self.hosts)
    }

    @Test("are read without changing the database")
    func unchanged() throws {
        try Written.database(Self.exchanges, at: path)
        let before = try folder.bytes("traffic.db")
        for kind in StoreValueKind.allCases { #expect(try !values(kind).isEmpty) }
        #expect(try folder.bytes("traffic.db") == before)
    }
}
