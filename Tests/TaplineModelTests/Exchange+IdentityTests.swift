// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct ExchangeIdentityTests {
    private let long = String(repeating: "x", count: 100)

    private func exchange() -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 1, low: 2),
            request: Request(
                target: ByteString("/\(long)"),
                fields: ["Host": "shop.test"],
                body: Body(Array(long.utf8))
            ),
            response: Response(fields: ["Vary": "Accept"], body: Body(Array(long.utf8)))
        )
        exchange.tags = ["team": "a"]
        exchange.messages = [StreamMessage(direction: .up, bytes: [1])]
        return exchange
    }

    private func isIdentical(_ left: Exchange, _ right: Exchange) -> Bool {
        left.request.isIdentical(to: right.request) && left.hasIdenticalResponse(to: right)
            && left.tags.isIdentical(to: right.tags) && left.hasIdenticalFacts(to: right)
    }

    @Test func aCopyIsIdentical() {
        let original = exchange()
        let copy = original
        #expect(isIdentical(original, copy))
    }

    @Test func equalPartsWithMemoryOfTheirOwnAreNot() {
        let (one, other) = (exchange(), exchange())
        #expect(one == other)
        #expect(!one.request.isIdentical(to: other.request))
        #expect(!one.request.target.isIdentical(to: other.request.target))
        #expect(!one.tags.isIdentical(to: other.tags))
    }

    static let changes: [@Sendable (inout Exchange) -> Void] = [
        { $0.request.method = "PUT" }, { $0.request.target = "/" },
        { $0.request.scheme = "https" }, { $0.request.authority = "b.test" },
        { $0.request.version = "HTTP/2" }, { $0.request.fields.set("Host", to: "shop.tesT") },
        { $0.request.fields.removeAll("Host") }, { $0.request.body.bytes[3] = 0 },
        { $0.request.body.size = nil }, { $0.request.body.isTruncated = true },
        { $0.request.body.decodedSize = 1 }, { $0.request.body.coding = "gzip" },
        { $0.request.body.contentType = "text/css" }, { $0.request.trailers = ["a": "b"] },
        { $0.response = nil }, { $0.response?.status = 404 }, { $0.response?.reason = "Gone" },
        { $0.response?.version = "HTTP/2" }, { $0.response?.fields.set("vary", to: "accept") },
        { $0.response?.body.bytes.removeLast() }, { $0.response?.trailers = ["a": "b"] },
        { $0.response?.interim = [InterimResponse(status: 103)] }, { $0.tags["team"] = "b" },
        { $0.tags["team"] = nil }, { $0.id = ExchangeID(high: 1, low: 3) },
        { $0.source = "b" }, { $0.state = .failed }, { $0.started.microseconds = 5 },
        { $0.timing.total = Microseconds(1) }, { $0.connection.client = "a" },
        { $0.bytes = ByteCounts() }, { $0.messages[0].bytes[0] = 2 },
        { $0.original.method = "GET" }, { $0.error = ExchangeError(code: "reset") },
        { $0.har = "{}" },
        {
            var extra = ExchangeExtra()
            extra.notes = [ExchangeNote(text: "a")]
            $0.extra = extra
        },
    ]

    @Test(arguments: changes.indices)
    func anyChangeOfACopyIsSeen(_ index: Int) {
        let original = exchange()
        var copy = original
        Self.changes[index](&copy)
        #expect(!isIdentical(original, copy))
        // In place as well: the copy has memory of its own by now.
        let changed = copy
        copy.tags["more"] = "1"
        #expect(!isIdentical(changed, copy))
    }
}
