// SPDX-License-Identifier: MIT

public import TaplineModel

extension Exchange {
    /// Returns a plain completed exchange that took 12 ms; the number makes its id and path unique.
    public static func example(
        _ number: Int = 0,
        status: Int = 200,
        body: String = "{\"ok\":true}"
    ) -> Exchange {
        let started = Timestamp(microseconds: 1_795_183_380_000_000 + Int64(number) * 1000)
        let content = Array(body.utf8)
        var exchange = Exchange(
            id: ExchangeID(started: started, random: 0, UInt64(truncatingIfNeeded: number) << 2),
            source: "example",
            started: started,
            request: Request(
                target: ByteString("/items/\(number)"),
                authority: "shop.test",
                fields: ["Host": "shop.test", "Accept": "application/json"]
            ),
            response: Response(
                status: status,
                reason: "OK",
                fields: [
                    "Content-Type": "application/json", "Content-Length": "\(content.count)",
                ],
                body: Body(content)
            )
        )
        exchange.timing.wait = Microseconds(11_000)
        exchange.timing.receive = Microseconds(1000)
        exchange.timing.total = Microseconds(12_000)
        return exchange
    }

    /// Returns a number of plain exchanges, in order.
    public static func examples(_ count: Int) -> [Exchange] {
        (0..<count).map { example($0) }
    }
}
