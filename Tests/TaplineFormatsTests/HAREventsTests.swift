// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@Suite struct HAREventsTests {
    private func entry(_ members: String) -> String {
        #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-11-20T14:03:00Z","time":1,"#
            + #""request":{"method":"GET","url":"http://a/"},"response":{"status":200}"# + members
            + "}]}}"
    }

    @Test func eventsAreReadAsChromeWritesThem() throws {
        let (exchanges, losses) = try HARRoundTripTests.read(
            entry(
                #","_eventSourceMessages":[{"time":1795183380.25,"eventName":"message","#
                    + #""eventId":"","data":"a\nb"},{"time":1795183381,"eventName":"delta","#
                    + #""eventId":"7","data":"","extra":1}]"#
            )
        )
        let messages = try #require(exchanges.first).messages
        #expect(
            messages == [
                StreamMessage(
                    direction: .down,
                    at: Microseconds(250_000),
                    type: "event",
                    bytes: Array("a\nb".utf8)
                ),
                StreamMessage(
                    direction: .down,
                    at: Microseconds(1_000_000),
                    type: "event",
                    event: "delta",
                    eventID: "7",
                    bytes: []
                ),
            ]
        )
        #expect(losses.losses.map(\.field) == ["_eventSourceMessages.*"])
        let (text, unwritten) = try HARRoundTripTests.write(exchanges)
        #expect(unwritten.isEmpty)
        let (again, _) = try HARRoundTripTests.read(text)
        #expect(again.map(\.messages) == exchanges.map(\.messages))
        #expect(!text.contains("_webSocketMessages"))
    }

    @Test(arguments: [#"{"a":1}"#, #"[1]"#, #"[{"data":5}]"#])
    func unexpectedFormsAreKept(_ value: String) throws {
        let member = #""_eventSourceMessages":\#(value)"#
        let (exchanges, losses) = try HARRoundTripTests.read(entry(",\(member)"))
        #expect(try #require(exchanges.first).messages.isEmpty)
        #expect(losses.isEmpty)
        #expect(try HARRoundTripTests.write(exchanges).0.contains(member))
    }

    @Test func sizesAndTruncationAreCounted() throws {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1), response: Response())
        exchange.messages = [
            StreamMessage(
                direction: .down,
                at: Microseconds(1),
                type: "event",
                bytes: [0x61],
                size: 10,
                isTruncated: true
            )
        ]
        let (_, losses) = try HARRoundTripTests.write([exchange])
        #expect(losses.losses.map(\.field) == ["messages.truncated", "messages.size"])
    }
}
