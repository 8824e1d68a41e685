// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineStatistics
import TaplineSQL
import TestSupport
import Testing

@testable import SQLiteSink
@testable import TaplineStore

@Suite("Statistics of stores")
struct StoreStatsTests {
    let folder: TemporaryFolder
    static let exchanges = Varied.exchanges(150, seed: 7)

    init() throws {
        folder = try TemporaryFolder()
        try Written.database(Self.exchanges, at: folder("a.db")) { $0.pathTemplates = 3 }
        try folder.write(try Recorded.bytes(Self.exchanges), to: "a.ndjson")
    }

    /// What one sees of a result.
    private func shown(_ result: StatsResult) -> [String] {
        (result.rows + [result.total]).map { row in
            "\(row.time?.microseconds ?? 0) \(row.values) \(row.count) \(row.errors) "
                + "\(row.bytesUp) \(row.bytesDown) \(row.times.count) \(row.times.total) "
                + "\(row.times.quantile(0.9)) \(row.rate ?? -1) \(row.breakdowns)"
        }
    }

    private func expected(_ query: StatsQuery, of exchanges: [Exchange] = exchanges) -> StatsResult
    {
        var table = StatsTable(query)
        for exchange in exchanges where query.filter?.matches(exchange) ?? true {
            table.add(exchange)
        }
        return table.result
    }

    @Test("candidates narrow one database down, not several stores")
    func candidates() throws {
        var query = StatsQuery()
        query.candidates = CandidateRows(numbers: [3, 30, 31], covered: 148)
        #expect(try Store(folder("a.db")).stats(query).total.count == 5)
        #expect(try Store(folder("a.ndjson")).stats(query).total.count == 150)
        let several = try StoreSet([folder("a.db"), folder("a.ndjson")])
        #expect(try several.stats(query).total.count == 300)
    }

    /// The fields have a column each; the last ones are read from whole exchanges.
    @Test(
        "are the same for a database, a recording and memory",
        arguments: [
            "route", "source,state", "method,status", "scheme", "host,port", "client,server",
            "duration", "started", "error,correlation", "request.version", "request.size",
            "response.size,status_class", "path", "url", "id", #"tag["team"]"#,
            #"response.header["content-type"]"#, "response.body,content_type",
        ]
    )
    func agreement(fields: String) throws {
        let filters = [
            nil, "status >= 400", #"path ~ "users""#,
            #"not (host == "shop.test") or duration > 1s"#,
            #"route == "/users/{id}" and response.body contains "ok""#, "status == 1",
        ]
        for text in filters {
            let query = StatsQuery(
                try text.map { try Filter($0) },
                by: try StatsField.list(fields),
                every: Microseconds(60_000_000),
                order: .key
            )
            let found = try Store(folder("a.db")).stats(query)
            #expect(shown(found) == shown(expected(query)), "\(text ?? "")")
            // A URL does not have all that a request has.
            let recording = try Store(folder("a.ndjson"))
            var exchanges: [Exchange] = []
            try recording.forEach(StoreQuery(order: .oldestFirst)) { exchanges.append($0.exchange) }
            #expect(
                shown(try recording.stats(query)) == shown(expected(query, of: exchanges)),
                "\(text ?? "")"
            )
        }
    }

    @Test("of APIs are the same for a database and memory")
    func apis() throws {
        let query = StatsQuery(
            by: [.authority] + (try StatsField.list("route")),
            breakdowns: try StatsField.list("method,status") + [.caller]
        )
        #expect(shown(try Store(folder("a.db")).stats(query)) == shown(expected(query)))
    }

    @Test("of several stores are sums")
    func several() throws {
        let query = StatsQuery(by: try StatsField.list("state"))
        let stores = try StoreSet([folder("a.db"), folder("a.ndjson")])
        let result = try stores.stats(query)
        #expect(result.total.count == 300)
        #expect(result.rows.map(\.count) == expected(query).rows.map { 2 * $0.count })
    }

    @Test("of older schemas have the templates of today")
    func older() throws {
        let connection = try SQLiteConnection(path: folder("a.db"))
        try connection.execute(
            """
            UPDATE paths SET template = replace(template, '{id}', '*') WHERE template <> '**';
            PRAGMA user_version = 1;
            """
        )
        try connection.close()
        let query = StatsQuery(by: try StatsField.list("route"), order: .key)
        #expect(shown(try Store(folder("a.db")).stats(query)) == shown(expected(query)))
    }

    @Test("stop within a range of rows when they are cancelled")
    func cancelled() throws {
        let reader = try #require(try DatabaseReader(folder("a.db")))
        let query = StatsQuery()
        let rows = RowQuery(StoreQuery(order: .oldestFirst, parts: []), schema: reader.schema)
        let progress = QueryProgress()
        let stats = try #require(try StatsReader(query, rows, reader, progress))
        let decoded = DatabaseStore.decodedStats(query, rows, reader, progress)
        progress.cancel()
        _ = try reader.snapshot { try stats.read(.all) }
        #expect(stats.table.result.total.count == 0)
        _ = try reader.snapshot { try decoded.read(.all) }
        #expect((decoded.finish()?.first?.result.total.count ?? .max) <= 1)
    }
}
