// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

/// Nothing is lost silently: everything that cannot be read back is counted.
@Suite struct HARLossesTests {
    /// An exchange that HAR can represent completely.
    static var plain: Exchange {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 1))
        exchange.started = Timestamp(microseconds: 1_795_183_380_123_456)
        exchange.request = Request(authority: "h:8080")
        exchange.response = Response(reason: "OK", body: Body([0x61]))
        exchange.timing.total = Microseconds(5)
        exchange.timing.send = Microseconds(0)
        exchange.timing.wait = Microseconds(5)
        exchange.timing.receive = Microseconds(0)
        exchange.response?.body.decodedSize = 1
        exchange.connection.server = "10.0.0.1:8080"
        return exchange
    }

    static let changes: [(String, @Sendable (inout Exchange) -> Void)] = [
        ("", { _ in }), ("server", { $0.connection.server = "10.0.0.1:1" }),
        ("server", { $0.connection.server = "10.0.0.1" }),
        ("state", { $0.state = .failed }), ("state", { $0.state = .cancelled }),
        (
            "",
            {
                $0.state = .cancelled
                $0.error = ExchangeError(code: "aborted", message: "net::ERR_ABORTED")
            }
        ),
        (
            "",
            {
                $0.state = .failed
                $0.error = ExchangeError(code: "failed", message: "m")
            }
        ),
        (
            "error.code",
            {
                $0.state = .failed
                $0.error = ExchangeError(code: "reset", message: "m")
            }
        ),
        ("request.target", { $0.request.target = "http://h:8080/" }),
        ("request.body.decoded_size", { $0.request.body.decodedSize = 4 }),
        (
            "messages.at_ms",
            {
                $0.messages = [StreamMessage(direction: .up, bytes: [0x61], size: 1)]
            }
        ),
        (
            "messages.size",
            {
                $0.messages = [
                    StreamMessage(direction: .up, at: Microseconds(0), bytes: [0x61], size: 9)
                ]
            }
        ),
        ("", { $0.tags = ["comment": "c", "t": "v"] }), ("", { $0.tags = ["comment": ""] }),
        ("har (malformed)", { $0.har = "{" }),
        ("response.body.truncated", { $0.response?.body.isTruncated = true }),
    ]

    @Test(arguments: changes.indices)
    func lossesAreCounted(_ index: Int) throws {
        var exchange = Self.plain
        Self.changes[index].1(&exchange)
        let (text, losses) = try HARRoundTripTests.write([exchange])
        let back = try #require(try HARRoundTripTests.read(text).0.first)
        let field = Self.changes[index].0
        #expect(losses.losses.map(\.field) == (field.isEmpty ? [] : [field]))
        #expect((back == exchange) == losses.isEmpty, "\(back) \(exchange)")
    }

    @Test func commentsRoundTrip() throws {
        var exchange = Self.plain
        exchange.tags = ["comment": "c"]
        let text = try HARRoundTripTests.write([exchange]).0
        #expect(text.contains(#""comment":"c""#) && !text.contains("_tags"))
    }

    @Test func notesAreComments() throws {
        var exchange = Self.plain
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(text: "a"), ExchangeNote(mark: "red"), ExchangeNote(text: "b")]
        exchange.extra = extra
        let text = try HARRoundTripTests.write([exchange]).0
        #expect(text.contains(#""comment":"a\nb""#))
        #expect(try HARRoundTripTests.read(text).0 == [exchange])
        for comment in ["c", "a\nb", ""] {
            exchange.tags = ["comment": comment]
            let text = try HARRoundTripTests.write([exchange]).0
            #expect(try HARRoundTripTests.read(text).0 == [exchange])
        }
    }

    @Test func namesOfOtherToolsAreKept() throws {
        var exchange = Self.plain
        exchange.tags = ["t": "v"]
        exchange.har = #"{"entry":{"_id":"7","_tags":["x"]}}"#
        let text = try HARRoundTripTests.write([exchange]).0
        #expect(text.contains(#""_id":"7","_tapline_id":"00000000-"#))
        #expect(text.contains(#""_tags":["x"],"_tapline_tags":{"t":"v"}"#))
        #expect(try HARRoundTripTests.read(text).0 == [exchange])
    }
}
