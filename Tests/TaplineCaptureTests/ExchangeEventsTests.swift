// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineCapture

/// The events that readers of a tap receive.
@Suite struct ExchangeEventsTests {
    private func words(_ events: ExchangeEvents) async -> [String] {
        var words: [String] = []
        for await event in events {
            switch event {
            case .began(let exchange): words.append("began \(exchange.id)")
            case .ended(let record): words.append("ended \(record.exchange.id)")
            case .missed(let count): words.append("missed \(count)")
            }
        }
        return words
    }

    @Test func everyReaderReceivesEveryExchange() async throws {
        let origin = try Origin()
        let tap = Tap(limits: .init(keepsAcrossRuns: true))
        let first = tap.exchanges
        let second = tap.exchanges
        try tap.start()
        let session = URLSession(configuration: .default.tapped(by: tap))
        for _ in 0..<3 { _ = try await session.data(from: origin.path("/hello")) }
        tap.stop()
        let received = await words(first)
        #expect(await words(second) == received)
        let ids = tap.entries.map(\.id)
        #expect(ids.count == 3 && received.count == 6)
        for id in ids {
            let began = try #require(received.firstIndex(of: "began \(id)"))
            let ended = try #require(received.firstIndex(of: "ended \(id)"))
            #expect(began < ended)
        }
        #expect(tap.store.feed.readerCount == 0)
    }

    @Test func aSlowReaderIsNotifiedOfMissedEvents() async throws {
        let feed = ExchangeFeed()
        let events = feed.events(buffering: 4)
        let exchanges = (1...10).map { number in
            ActiveExchange(Exchange(id: ExchangeID(high: 0, low: UInt64(number))))
        }
        feed.send(exchanges.map { .began($0) })
        feed.finish()
        let received = await words(events)
        #expect(received == ["missed 6"] + exchanges.suffix(4).map { "began \($0.id)" })

        // The buffer always has room for one event.
        let other = ExchangeFeed()
        let last = other.events(buffering: 0)
        other.send(exchanges.map { .began($0) })
        other.finish()
        #expect(await words(last) == ["missed 9", "began \(exchanges[9].id)"])
    }

    @Test func aReaderThatIsGoneIsRemoved() async {
        let feed = ExchangeFeed()
        do {
            let events = feed.events(buffering: 1)
            #expect(feed.readerCount == 1)
            _ = events
        }
        #expect(feed.readerCount == 0)
        feed.send([.missed(1)])
        let task = Task { await words(feed.events(buffering: 1)) }
        await wait(for: "the reader to begin") { feed.readerCount > 0 }
        task.cancel()
        #expect(await task.value.isEmpty)
        #expect(feed.readerCount == 0)
    }
}
