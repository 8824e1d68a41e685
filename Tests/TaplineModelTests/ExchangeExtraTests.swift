// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct ExchangeExtraTests {
    @Test func anExchangeHasNoneInitially() {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        #expect(exchange.extra == nil)
        exchange.extra = ExchangeExtra()
        #expect(exchange.extra == nil)
    }

    @Test func takesTheSpaceOfAReference() {
        #expect(MemoryLayout<ExchangeExtra>.size > MemoryLayout<Int>.size)
        let withoutExtra = MemoryLayout<Exchange>.offset(of: \Exchange.har) ?? 0
        let rest = MemoryLayout<ByteString>.size + 2 * MemoryLayout<Int>.size
        #expect(MemoryLayout<Exchange>.size <= withoutExtra + rest)
    }

    @Test func copiesDoNotShareChanges() {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        exchange.extra = ExchangeExtra()
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(text: "a")]
        exchange.extra = extra
        let copy = exchange
        #expect(copy == exchange)
        exchange.extra?.notes[0].text = "b"
        #expect(copy.extra?.notes.map(\.text) == ["a"])
        #expect(exchange.extra?.notes.map(\.text) == ["b"])
        #expect(copy != exchange)
        exchange.extra?.notes = []
        #expect(exchange.extra == nil)
    }

    @Test func aPartIsSetWithoutTheOthersAndNotInCopies() {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        exchange.setExtra { $0.notes = [ExchangeNote(text: "a")] }
        exchange.setExtra { $0.stream = StreamLegs(client: StreamLegs.Leg(version: "HTTP/2")) }
        let copy = exchange
        exchange.setExtra { $0.notes[0].text = "b" }
        #expect(copy.extra?.notes.map(\.text) == ["a"])
        #expect(exchange.extra?.notes.map(\.text) == ["b"])
        #expect(exchange.extra?.stream?.client?.version == "HTTP/2")
        #expect(copy != exchange)
    }

    @Test func partsAreCountedInTheMemory() {
        var extra = ExchangeExtra()
        let empty = extra.memory
        extra.notes = [ExchangeNote(text: String(repeating: "x", count: 1000))]
        #expect(extra.memory > empty + 1000)
    }
}
