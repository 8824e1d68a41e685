// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for event streams.
@Suite
struct ServerSentEventTests {
    /// Returns the events of a stream that is split at these positions.
    static func events(
        _ text: String,
        endingAt ends: [Int]? = nil,
        keeps: Int = 1000
    ) -> [ServerSentEvent] {
        let bytes = Array(text.utf8)
        var parser = ServerSentEventParser(keeps: keeps)
        var events: [ServerSentEvent] = []
        var consumed = 0
        for end in ends ?? [bytes.count] {
            while true {
                let step = parser.next(bytes.span.extracting(consumed..<end))
                consumed += step.consumed
                guard let event = step.event else { break }
                events.append(event)
            }
        }
        return events
    }

    struct Row: Sendable {
        let text: String
        /// The type, data and id of each event.
        let events: [[String]]
    }

    /// The examples of the standard, and every kind of line end.
    @Test(arguments: [
        Row(
            text:
                "data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\n",
            events: [
                ["", "This is the first message.", ""],
                ["", "This is the second message, it\nhas two lines.", ""],
            ]
        ),
        Row(
            text:
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            events: [
                ["", "first event", "1"], ["", "second event", ""], ["", " third event", ""],
            ]
        ),
        Row(text: "data\n\ndata\ndata\n\ndata:", events: [["", "", ""], ["", "\n", ""]]),
        Row(
            text: "event: add\r\ndata: 7\r\n\r\nevent: none\r\revent:x\rdata:8\r\rdata: 9\n\r\n",
            events: [["add", "7", ""], ["x", "8", ""], ["", "9", ""]]
        ),
        Row(
            text: "\u{FEFF}data:a\nid:5\n\ndata:b\n\nid:x\0y\ndata:c\nretry:10\nother: z\n\n",
            events: [["", "a", "5"], ["", "b", "5"], ["", "c", "5"]]
        ),
        Row(text: "data: not whole", events: []),
    ])
    func streams(_ row: Row) {
        let whole = Self.events(row.text)
        #expect(
            whole.map {
                [$0.type.description, String(decoding: $0.data, as: UTF8.self), $0.id.description]
            } == row.events
        )
        for cut in Parsing.cuts(row.text.utf8.count) {
            let pieces = Self.events(row.text, endingAt: cut)
            #expect(pieces == whole)
        }
    }

    @Test func sizesAreThoseOnTheWire() {
        let events = Self.events(": a\n\ndata: b\r\n\r\ndata:c\n\n")
        #expect(events.map(\.size) == [15, 9])
    }

    @Test func dataBeyondTheLimitIsCounted() {
        let long = String(repeating: "x", count: 200)
        let events = Self.events("data:\(long)\ndata:yy\n\ndata:z\n\n", keeps: 10)
        #expect(events.map(\.data.count) == [11, 1])
        #expect(events.map(\.isTruncated) == [true, false])
        #expect(events[0].size == 215)
    }
}
