// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineStatistics
import TestSupport
import Testing

@testable import TaplineStore

/// Compares statistics with sums over sorted arrays.
@Suite("Statistics of random exchanges")
struct StatsReferenceTests {
    private struct Key: Hashable {
        let time: Int64?
        let values: [FilterValue?]
    }

    private static let exchanges = Varied.exchanges(400, seed: 20)

    private static func key(_ exchange: Exchange, _ query: StatsQuery) -> Key {
        let moment = exchange.started.microseconds
        return Key(
            time: query.every.map { moment - moment % $0.count },
            values: query.fields.map { $0.value(in: exchange) }
        )
    }

    private func check(_ result: StatsResult, _ query: StatsQuery, _ exchanges: [Exchange]) throws {
        let groups = Dictionary(grouping: exchanges) { Self.key($0, query) }
        #expect(result.rows.count == groups.count)
        #expect(result.total.count == exchanges.count)
        for row in result.rows {
            let key = Key(time: row.time?.microseconds, values: row.values)
            let group = try #require(groups[key])
            #expect(row.count == group.count)
            #expect(
                row.errors
                    == group.filter {
                        $0.state == .failed || ($0.response?.status ?? 0) >= 500
                    }.count
            )
            #expect(row.bytesUp == group.reduce(0) { $0 + ($1.request.body.size ?? 0) })
            #expect(row.bytesDown == group.reduce(0) { $0 + ($1.response?.body.size ?? 0) })
            let times = group.filter { $0.response != nil }
                .compactMap { $0.timing.total.map { max(0, min($0.count, .max / 1000)) } }
                .sorted()
            #expect(row.times.count == times.count)
            for part in [0.5, 0.9, 0.99, 1] where !times.isEmpty {
                let exact = times[max(1, Int((Double(times.count) * part).rounded(.up))) - 1]
                let found = try #require(row.latency(part)).count
                #expect(found >= exact && Double(found) <= Double(exact) * 1.01)
            }
        }
    }

    @Test(
        "equal those of sorted arrays",
        arguments: [
            "route", "status,method", "host,port,scheme", "status_class,state", "duration", "path",
            #"tag["team"],error,correlation"#, #"query["a"],client,server"#, "response.size,source",
            #"json "$.ok",url"#,
        ]
    )
    func reference(fields: String) throws {
        for every in [nil, Microseconds(60_000_000)] {
            let query = StatsQuery(by: try StatsField.list(fields), every: every)
            var table = StatsTable(query)
            for exchange in Self.exchanges { table.add(exchange) }
            try check(table.result, query, Self.exchanges)
        }
    }

    @Test("are the same if parts are merged")
    func merged() throws {
        let query = StatsQuery(
            by: try StatsField.list("route,status"),
            every: Microseconds(30_000_000),
            breakdowns: [.caller]
        )
        var whole = StatsTable(query)
        for exchange in Self.exchanges { whole.add(exchange) }
        var sum = StatsTable(query)
        for start in stride(from: 0, to: 400, by: 90).reversed() {
            var part = StatsTable(query)
            for exchange in Self.exchanges[start..<min(start + 90, 400)] { part.add(exchange) }
            sum.merge(part)
        }
        try check(sum.result, query, Self.exchanges)
        let (left, right) = (whole.result, sum.result)
        #expect(left.rows.map(\.values) == right.rows.map(\.values))
        #expect(left.rows.map(\.times) == right.rows.map(\.times))
        #expect(left.rows.map(\.breakdowns) == right.rows.map(\.breakdowns))
        #expect(left.times == right.times)
    }
}
