// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineStatistics
import Testing

@testable import TaplineCapture

/// The contents of the store while exchanges begin and end, without an app.
@Suite struct MemoryStoreTests {
    private func exchange(_ number: UInt64) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: number),
            started: Timestamp(microseconds: Int64(number)),
            response: Response(status: 200)
        )
        exchange.request.setURL("http://shop.test:8080/users/\(number)?token=secret".utf8.span)
        return exchange
    }

    private func record(_ exchange: Exchange) throws -> Record {
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else {
            throw SinkError(.refused, "no record")
        }
        return record
    }

    private func store(_ limits: MemoryStore.Limits = .init(), at time: Int64 = 0) -> MemoryStore {
        MemoryStore(limits, now: { Timestamp(microseconds: time) }, steady: { 0 })
    }

    private func numbers(_ store: MemoryStore) -> [UInt64] { store.entries.map(\.id.low) }

    @Test func anEndedExchangeIsNoLongerActive() throws {
        let store = store()
        store.note(opened: (1...4).map { ActiveExchange(exchange($0)) }, ended: [])
        #expect(numbers(store) == [4, 3, 2, 1])
        // A stage has dropped it, so it ends without a record.
        store.note(opened: [], ended: [exchange(2).id])
        #expect(numbers(store) == [4, 3, 1])
        store.add([try record(exchange(3))])
        #expect(numbers(store) == [4, 1, 3])
        #expect(store.entries.map(\.state) == [.loading, .loading, .success])
        store.clear()
        #expect(numbers(store) == [4, 1])
        store.begin()
        #expect(numbers(store).isEmpty)
    }

    @Test func lateRecordsOfClearedExchangesAreDiscarded() throws {
        let store = store(at: 100)
        store.clear()
        var late = exchange(50)
        late.timing.total = Microseconds(60)
        store.add([try record(exchange(40)), try record(late)])
        #expect(numbers(store) == [50])
        #expect(store.traffic.summary.rows.map(\.requests) == [1])
    }

    /// The clock is changed afterwards, by hours in either direction.
    @Test(arguments: [-7200, 7200] as [Int64])
    func exchangesAfterAClearAreKeptIfTheClockIsSet(shift: Int64) throws {
        let day = 86_400_000_000 as Int64
        let clock = Mutex((time: day, steady: 0 as Int64))
        let store = MemoryStore(
            .init(),
            now: { Timestamp(microseconds: clock.withLock(\.time)) },
            steady: { clock.withLock(\.steady) }
        )
        store.clear()
        clock.withLock { $0 = (day + (shift + 10) * 1_000_000, 10_000_000) }
        let began = UInt64(day + (shift + 5) * 1_000_000)
        let ended = UInt64(day + (shift - 5) * 1_000_000)
        store.add([try record(exchange(ended)), try record(exchange(began))])
        #expect(numbers(store) == [began])
    }

    /// Extreme limits cause no trap.
    @Test(arguments: [Duration.seconds(Int64.min), .seconds(-1), .seconds(Int64.max)])
    func noAgeLimitTraps(age: Duration) throws {
        let store = store(.init(age: age))
        store.add([try record(exchange(1))])
        #expect(store.entries.count <= 1)
    }

    @Test func limitsApplyToAnyNumberOfRecords() throws {
        let store = store(.init(entries: 3))
        for number in 1...500 as ClosedRange<UInt64> {
            store.add([try record(exchange(number))])
            #expect(numbers(store) == (max(number, 3) - 2...number).reversed().filter { $0 > 0 })
        }
    }

    @Test func eachRunHasItsOwnSummaryUnlessItContinues() throws {
        for (keeps, requests) in [(false, [Int]()), (true, [1])] {
            let store = store(.init(keepsAcrossRuns: keeps))
            store.add([try record(exchange(1))])
            store.begin()
            #expect(store.traffic.summary.rows.map(\.requests) == requests)
        }
    }

    @Test func anUnfinishedEntryShowsOnlyItsOrigin() {
        let entry = Entry(ActiveExchange(exchange(1)))
        #expect(entry.url == "http://shop.test:8080")
        #expect(entry.copyText == "GET http://shop.test:8080 loading")
        #expect(
            entry.exportText.hasPrefix("GET http://shop.test:8080\nstarted 1970-01-01T00:00:00")
        )
        #expect(entry.formattedDuration == nil && entry.curl == nil && entry.har == nil)
    }

    @Test(arguments: [
        (499, "0ms"), (500, "1ms"), (122_600, "123ms"), (999_499, "999ms"), (999_500, "1.00s"),
        (1_045_000, "1.05s"), (1_234_999, "1.23s"), (61_235_000, "61.24s"),
    ])
    func timesAreRounded(microseconds: Int64, text: String) throws {
        var exchange = exchange(1)
        exchange.timing.total = Microseconds(microseconds)
        exchange.tags["team"] = "checkout"
        let entry = Entry(try record(exchange))
        #expect(entry.formattedDuration == text)
        #expect(entry.exportText.contains("\ntook \(text)\ntag team: checkout\n"))
    }

    /// Texts with data from a server are safe to print on a terminal.
    @Test func textsContainNoControlCharacters() throws {
        var exchange = exchange(1)
        exchange.tags["team"] = "a\u{1B}[31mb\tc\u{7}\u{9B}2J"
        let text = Entry(try record(exchange)).exportText
        #expect(text.contains("\ntag team: a\\x1b[31mb\tc\\x07\\x9b2J\n"))
    }
}
