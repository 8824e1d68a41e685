// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import TestSupport
import Testing

/// Messages of any bytes: nothing traps, and what is no token stays as it is.
@Suite struct TokenRobustnessTests {
    private static let pages = [
        "<form action='/a/b1c2d3?x=y'><input type=hidden name=csrf value=\"a1b2c3&#x41;&amp;\"></form>",
        #"{"a":[{"id":12,"t":"tok_1a2b3c"},{"id":13}],"next":"http://h/p?c=q9w8e7","é":"\u00e9\ud83d"}"#,
        "a=1&b=%20%zz&c=tok_1a2b3c&=&&d",
    ]
    private static let types = [
        "text/html", "application/json", "application/x-www-form-urlencoded", "",
    ]

    /// Returns a text with some bytes changed, removed or repeated.
    private func mutated(_ text: String, _ random: inout Random) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<random.below(6) where !bytes.isEmpty {
            let position = random.below(bytes.count)
            switch random.below(4) {
            case 0: bytes[position] = random.byte()
            case 1: bytes.remove(at: position)
            case 2: bytes.removeLast(bytes.count - position)
            default: bytes.insert(contentsOf: Array("<&\"{%;=".utf8), at: position)
            }
        }
        return bytes
    }

    private func exchange(_ random: inout Random, _ number: Int) -> Exchange {
        var request = Request(
            method: random.pick(["GET", "POST", ""]),
            target: ByteString(mutated("/orders/12/tok_1a2b3c?c=q9w8e7&d=%41#x", &random)),
            authority: ByteString(mutated("shop.test:80", &random))
        )
        for (name, value) in [
            ("Authorization", "Bearer tok_1a2b3c, x=\"a1b2c3\""), ("Cookie", "a=1; sid=q9w8e7;;=b"),
            ("Content-Type", random.pick(Self.types)),
        ] {
            request.fields.append(name: name.utf8.span, value: mutated(value, &random).span)
        }
        request.body = Body(mutated(random.pick(Self.pages), &random))
        var response = Response(fields: ["Content-Type": random.pick(Self.types)])
        for (name, value) in [
            ("Set-Cookie", "sid=q9w8e7%41; Path=/"), ("Location", "/o/tok_1a2b3c?c=a1b2c3"),
        ] {
            response.fields.append(name: name.utf8.span, value: mutated(value, &random).span)
        }
        response.body = Body(mutated(random.pick(Self.pages), &random))
        if random.below(10) == 0 { response.body.coding = "gzip" }
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: 0),
            started: Timestamp(microseconds: random.below(20) == 0 ? .max : Int64(number)),
            request: request,
            response: response
        )
        exchange.timing.total = Microseconds(random.below(20) == 0 ? .max : 3)
        exchange.connection.client = random.pick(["", ":", "10.0.0.1:80"])
        return exchange
    }

    @Test(arguments: UInt64(1)...20)
    func anyBytesAreReadAndReplaced(seed: UInt64) {
        var random = Random(seed: seed)
        let recording = (0..<100).map { exchange(&random, $0) }
        var finder = TokenFinder()
        for exchange in recording { finder.read(exchange) }
        let map = TokenMap(finder.findings().bindings)
        for binding in map.bindings {
            for place in [binding.source] + binding.targets {
                #expect((try? TokenPlace(parsing: place.text)) == place, "\(place.text)")
            }
        }
        var sessions = RecordedSessions(key: .automatic, map: map)
        var tokens = SessionTokens(map: map)
        var same = SessionTokens(map: map)
        for exchange in recording {
            let plan = sessions.read(exchange)
            var request = exchange.request
            let use = tokens.apply(to: &request, in: plan.session, expecting: plan.tokens)
            // A session that nothing was handed out to sends what was recorded.
            if use.bound.isEmpty { #expect(request == exchange.request) }
            var unchanged = exchange.request
            _ = same.apply(to: &unchanged, in: plan.session)
            // The recorded response hands out the recorded values.
            #expect(unchanged == exchange.request)
            tokens.observe(
                self.exchange(&random, 0).response ?? Response(),
                for: exchange,
                in: plan.session
            )
            if let response = exchange.response {
                same.observe(response, for: exchange, in: plan.session)
            }
        }
    }
}
