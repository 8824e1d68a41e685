// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineStatistics
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("Statistics")
struct StatsTableTests {
    /// An exchange of the route `/a/{id}` or `/b`, `second` after the first one.
    private static func exchange(
        _ second: Int,
        _ target: ByteString,
        _ status: Int?,
        milliseconds: Int64?,
        up: Int? = nil,
        down: Int? = nil
    ) -> Exchange {
        var exchange = Exchange.example(second, status: status ?? 0)
        exchange.started = Timestamp(microseconds: 60_000_000 + Int64(second) * 1_000_000)
        exchange.request.target = target
        exchange.timing.total = milliseconds.map { Microseconds($0 * 1000) }
        exchange.request.body.size = up
        exchange.response?.body.size = down
        if status == nil {
            exchange.response = nil
            exchange.state = .failed
        }
        return exchange
    }

    private static let six = [
        exchange(0, "/a/1", 200, milliseconds: 10, up: 100, down: 1000),
        exchange(10, "/a/2?x=1", 200, milliseconds: 30, up: 50, down: 2000),
        exchange(20, "/b", 500, milliseconds: 70),
        exchange(40, "/a/3", 404, milliseconds: 20, down: 9),
        exchange(60, "/a/4", nil, milliseconds: 5000),
        exchange(80, "/b", 200, milliseconds: nil),
    ]

    private func result(_ query: StatsQuery) -> StatsResult {
        var table = StatsTable(query)
        for exchange in Self.six { table.add(exchange) }
        return table.result
    }

    private func texts(_ row: StatsRow) -> [String] {
        row.values.map { value in
            switch value {
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            case .whole(let number): "\(number)"
            default: "-"
            }
        }
    }

    @Test("are those that one computes by hand")
    func byHand() throws {
        let result = result(StatsQuery(by: try StatsField.list("route")))
        #expect(result.rows.map(texts) == [["/a/{id}"], ["/b"]])
        let first = result.rows[0]
        #expect(first.count == 4 && first.errors == 1)
        #expect(first.share == 4.0 / 6 && first.rate == 4.0 / 80)
        #expect(first.bytesUp == 150 && first.bytesDown == 3009)
        // The exchange without a response has no duration.
        #expect(first.times.count == 3)
        #expect(try #require(first.latency(0.5)).count / 100 == 200)
        #expect(first.latency(0.9) == Microseconds(30_000))
        #expect(first.latency(1) == Microseconds(30_000))
        let second = result.rows[1]
        #expect(second.count == 2 && second.errors == 1 && second.bytesDown == 0)
        #expect(second.latency(0.5) == Microseconds(70_000))
        #expect(result.total.count == 6 && result.total.errors == 2 && result.total.share == 1)
        #expect(result.total.latency(0.99) == Microseconds(70_000))
        #expect(result.times?.lowerBound == Timestamp(microseconds: 60_000_000))
        #expect(result.times?.upperBound == Timestamp(microseconds: 140_000_000))
        #expect(!result.isLimited && result.hidden == 0)
    }

    @Test("have one row without fields, and none without exchanges")
    func few() {
        let all = result(StatsQuery())
        #expect(all.rows.count == 1 && all.rows[0].count == 6 && all.rows[0].values.isEmpty)
        let none = StatsTable(StatsQuery()).result
        #expect(none.rows.isEmpty && none.total.count == 0 && none.total.share == 0)
        #expect(none.total.rate == nil && none.total.latency(0.5) == nil && none.times == nil)
    }

    @Test("group by absent values and by time")
    func absentAndTime() throws {
        let query = StatsQuery(
            by: try StatsField.list("status"),
            every: Microseconds(60_000_000),
            order: .key
        )
        let rows = result(query).rows
        let seconds = rows.map { ($0.time?.microseconds ?? 0) / 1_000_000 }
        #expect(seconds == [60, 60, 60, 120, 120])
        #expect(rows.map(texts) == [["200"], ["404"], ["500"], ["200"], ["-"]])
        #expect(rows.map(\.count) == [2, 1, 1, 1, 1])
        #expect(rows[0].rate == 2.0 / 60)
    }

    @Test(
        "are in the order that is asked for",
        arguments: [
            (StatsOrder.count, ["200", "404", "500", "-"]), (.errors, ["500", "-", "200", "404"]),
            (.up, ["200", "404", "500", "-"]), (.down, ["200", "404", "500", "-"]),
            (.p50, ["500", "404", "200", "-"]), (.p99, ["500", "200", "404", "-"]),
            (.max, ["500", "200", "404", "-"]), (.key, ["200", "404", "500", "-"]),
        ]
    )
    func order(order: StatsOrder, statuses: [String]) throws {
        let result = result(StatsQuery(by: try StatsField.list("status"), order: order))
        #expect(result.rows.flatMap(texts) == statuses)
        let top = self.result(StatsQuery(by: try StatsField.list("status"), top: 3, order: order))
        #expect(top.rows.flatMap(texts) == Array(statuses.prefix(3)))
        #expect(top.hidden == 1 && top.total.count == 6)
    }

    @Test("keep the first rows of each time bucket")
    func top() throws {
        let query = StatsQuery(
            by: try StatsField.list("status"),
            every: Microseconds(60_000_000),
            top: 1
        )
        #expect(result(query).rows.map(texts) == [["200"], ["200"]])
        #expect(result(query).hidden == 3)
    }

    @Test("count values within groups, and measure sizes there")
    func breakdowns() throws {
        let query = StatsQuery(
            by: [.authority],
            breakdowns: try StatsField.list("status") + [.caller]
        )
        let row = result(query).rows[0]
        #expect(texts(row) == ["shop.test"])
        #expect(row.breakdowns[0].map(\.count) == [3, 1, 1, 1])
        #expect(row.breakdowns[0].map(\.value) == [.whole(200), .whole(404), .whole(500), nil])
        #expect(row.breakdowns[1].map(\.value) == [.text(Array("example".utf8))])
        #expect(row.requestSizes.count == 2 && row.requestSizes.maximum == 100)
        #expect(
            row.responseSizes.count == 3 && (1000...1010).contains(row.responseSizes.quantile(0.5))
        )
    }

    @Test("put what is beyond the limit into one group")
    func limit() throws {
        let query = StatsQuery(by: try StatsField.list("path"), breakdowns: [.caller])
        var table = StatsTable(query, maxGroups: 3)
        var other = table
        for exchange in Self.six { table.add(exchange) }
        for exchange in Self.six.reversed() { other.add(exchange) }
        table.merge(other)
        let result = table.result
        #expect(result.rows.map(texts) == [["/b"], ["/a/1"], ["/a/2"], ["-"]])
        #expect(result.rows.map(\.isOthers) == [false, false, false, true])
        #expect(result.rows.map(\.count) == [4, 1, 1, 6])
        #expect(result.isLimited && result.total.count == 12)
        #expect(result.rows.allSatisfy { $0.breakdowns[0].map(\.count).reduce(0, +) == $0.count })
    }

    @Test(
        "strip the port of a client",
        arguments: [
            ("10.0.0.1:5", "10.0.0.1"), ("10.0.0.1", "10.0.0.1"), ("[::1]:5", "[::1]"),
            ("[::1]", "[::1]"), ("::1", "::1"), ("", ""), ("host:", "host"),
        ]
    )
    func addresses(client: String, address: String) {
        let found = StatsField.address(client.utf8.span)
        #expect(String(decoding: found, as: UTF8.self) == address)
    }

    @Test("survive any number")
    func extremes() throws {
        for every in [nil, Microseconds(1), Microseconds(.max), Microseconds(-5)] {
            var table = StatsTable(StatsQuery(by: try StatsField.list("duration"), every: every))
            for moment in [Int64.min, -1, 0, .max] {
                var exchange = Self.six[0]
                exchange.started = Timestamp(microseconds: moment)
                exchange.timing.total = Microseconds(moment)
                exchange.request.body.size = .max
                exchange.response?.body.size = .min
                table.add(exchange)
            }
            let result = table.result
            #expect(result.total.count == 4 && result.total.bytesUp == .max)
            #expect(result.rows.map(\.count).reduce(0, +) == 4)
        }
    }
}
