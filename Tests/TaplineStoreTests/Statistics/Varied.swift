// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTesting
import TestSupport

/// Exchanges that differ in everything that statistics group by and measure.
enum Varied {
    static func exchanges(_ count: Int, seed: UInt64) -> [Exchange] {
        var random = Random(seed: seed)
        return (0..<count).map { exchange($0, &random) }
    }

    private static func exchange(_ number: Int, _ random: inout Random) -> Exchange {
        let status = random.pick([200, 200, 200, 301, 404, 500, 503, 0, 999])
        var exchange = Exchange.example(number, status: status)
        exchange.source = random.pick(["proxy", "app", ""])
        exchange.state = random.pick(
            [.completed, .completed, .failed, .cancelled] as [ExchangeState]
        )
        exchange.request.method = random.pick(
            ["GET", "POST", "PUT", ByteString([0xFF])] as [ByteString]
        )
        exchange.request.scheme = random.pick(
            ["http", "HTTPS", ""] as [ByteString]
        )
        exchange.request.authority = random.pick(
            [
                "shop.test", "Shop.test:8080", "user:pw@api.test", "[::1]:99", "", "x.test:99999",
            ] as [ByteString]
        )
        let (user, query) = (random.below(3), random.below(2))
        exchange.request.target = random.pick(
            [
                ByteString("/users/\(user)?a=\(query)"), "/items", "/items#x", "*",
                "http://other.test/users/9", "/a/0123456789abcdef", "", ByteString([0x2F, 0xFE]),
            ] as [ByteString]
        )
        exchange.request.body.size = random.pick([nil, 0, 10, 5000] as [Int?])
        exchange.response?.body.size = random.pick([nil, 0, 11, 70_000] as [Int?])
        let time = Microseconds(Int64(random.below(1_000_000)))
        exchange.timing.total = random.pick(
            [
                nil, time, Microseconds(-3), Microseconds(.max),
            ] as [Microseconds?]
        )
        exchange.connection.client = random.pick(["", "10.0.0.1:1", "10.0.0.1:2", "[::1]:5"])
        exchange.connection.server = random.pick(["", "10.1.0.1:80"])
        exchange.tags = random.pick(
            [[:], ["team": "a"], ["team": "b"], ["correlation": "7"]] as [Tags]
        )
        exchange.error = random.pick(
            [nil, nil, ExchangeError(code: "reset", message: "m")] as [ExchangeError?]
        )
        if random.below(8) == 0 { exchange.response = nil }
        exchange.started = Timestamp(
            microseconds: exchange.started.microseconds + Int64(random.below(180_000_000))
        )
        return exchange
    }
}
