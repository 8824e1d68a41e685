// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineStatistics

@Suite struct TrafficSummaryTests {
    /// Recordings may contain any number.
    @Test func sumsThatOverflowStayAtTheLargestNumber() {
        let table = TrafficTable()
        for _ in 0..<3 {
            var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
            exchange.bytes = ByteCounts(up: .init(body: .max), down: .init(body: .max - 5))
            table.add(exchange)
            table.add(Exchange(id: ExchangeID(high: 0, low: 0), request: Request(target: "/b")))
        }
        let rows = table.summary.rows
        #expect(rows.map(\.path) == ["/", "/b"])
        #expect(rows[0].bytesUp == .max && rows[0].bytesDown == .max)
    }

    @Test func theNumberOfRowsIsBounded() {
        let table = TrafficTable()
        for number in 0..<(TrafficTable.maxRows + 50) {
            let request = Request(target: ByteString("/p\(number)x"), authority: "shop.test")
            table.add(Exchange(id: ExchangeID(high: 0, low: UInt64(number)), request: request))
        }
        let rows = table.summary.rows
        #expect(rows.count == TrafficTable.maxRows + 1)
        #expect(rows.first { $0.host == "*" }?.requests == 50)
        #expect(rows.first { $0.host == "*" }?.latency(0.5) == nil)
    }
}
