// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import StdoutSink

/// An exchange with typical values, which a test can change.
func exchange(_ change: (inout Exchange) -> Void = { _ in }) -> Exchange {
    var exchange = Exchange(
        id: ExchangeID(high: 0x0193_4B5C_0000_7000, low: 0x8000_0000_0000_0001),
        source: "test",
        started: Timestamp(rfc3339: "2026-11-20T14:03:00.123456Z") ?? Timestamp(microseconds: 0),
        request: Request(
            method: "POST",
            target: "/cart?x=1",
            scheme: "https",
            authority: "shop.test",
            fields: ["Host": "shop.test", "Content-Type": "application/json"],
            body: Body(Array(#"{"item":7}"#.utf8))
        ),
        response: Response(
            status: 201,
            reason: "Created",
            fields: ["Content-Type": "text/plain"],
            body: Body(Array("done\n".utf8))
        )
    )
    exchange.timing.total = Microseconds(15_500)
    change(&exchange)
    return exchange
}

/// Seals an exchange through an empty chain.
func record(_ exchange: Exchange) throws -> Record {
    var chain = RecordChain()
    guard case .sealed(let record) = chain.seal(exchange) else {
        throw FixtureError()
    }
    return record
}

struct FixtureError: Error {}

/// A clock with UTC as local time.
let utc = LocalClock { _ in 0 }

/// Renders an exchange.
func shown(
    _ exchange: Exchange,
    _ format: OutputFormat = .pretty,
    maxBody: Int? = nil,
    colors: ColorChoice = .never,
    width: Int? = nil,
    isTerminal: Bool = false
) throws -> String {
    let settings = StdoutFactory(
        format: format,
        maxBody: maxBody,
        colors: colors,
        allowsColor: true
    )
    var renderer = Renderer(settings, isTerminal: isTerminal, clock: utc)
    renderer.width = width
    renderer.render(try record(exchange))
    return String(decoding: Array(copying: renderer.text), as: UTF8.self)
}

/// Both ends of a pipe.
func makePipe() throws -> (reading: Int32, writing: Int32) {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends)
    try #require(made == 0)
    return (ends[0], ends[1])
}
