// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import ReplaySource

@Suite("The ids of replayed records")
struct RecordIDsTests {
    private static let none = ExchangeID(high: 0, low: 0)

    private func id(
        _ text: String,
        position: Int = 0,
        pass: Int = 0,
        recorded: ExchangeID = RecordIDsTests.none,
        policy: ReplayIDs = .keep
    ) -> ExchangeID {
        var ids = RecordIDs(policy)
        var exchange = Exchange(
            id: recorded,
            started: Timestamp(microseconds: 1_795_183_380_123_456)
        )
        ids.identify(&exchange, text.utf8.span, position: position, pass: pass)
        return exchange.id
    }

    @Test("are derived from content, position, pass and start time")
    func derived() {
        let first = id("a")
        #expect(first.isVersion7)
        #expect(first.high >> 16 == 1_795_183_380_123)
        #expect(first == id("a"))
        #expect(Set([first, id("b"), id("a", position: 1), id("a", pass: 1)]).count == 4)
        // This value must not change: databases rely on it.
        #expect(first.description == "01a1f944-869b-7720-8b8d-27a40b511a68")
    }

    @Test("are kept in the first pass if they are recorded")
    func kept() {
        let recorded = ExchangeID(high: 1, low: 2)
        #expect(id("a", recorded: recorded) == recorded)
        #expect(id("a", pass: 1, recorded: recorded) != recorded)
        #expect(id("a", pass: 1, recorded: recorded).isVersion7)
    }

    @Test("are new if requested")
    func new() {
        let recorded = ExchangeID(high: 1, low: 2)
        let one = id("a", recorded: recorded, policy: .new)
        #expect(one.isVersion7 && one != id("a", recorded: recorded, policy: .new))
    }
}
