// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@Suite struct ExchangeBoxTests {
    private func exchange(_ tls: TLSInfo? = nil) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 1, low: 2),
            source: "a source whose name takes memory of its own",
            request: Request(target: "/a/path/that/does/not/fit/inline")
        )
        exchange.connection.tls = tls
        return exchange
    }

    @Test func lendsBothInPlace() {
        let held = ExchangeBox(exchange())
        held.exchange.request.fields.append(name: "a", value: "1")
        held.context.vars["b"] = "2"
        change(&held.exchange, &held.context)
        #expect(held.exchange.request.fields == ["a": "1", "c": "3"])
        #expect(held.context.vars == ["b": "2", "d": "4"])
        #expect(held.exchange.source == "a source whose name takes memory of its own")
    }

    private func change(_ exchange: inout Exchange, _ context: inout ExchangeContext) {
        exchange.request.fields.append(name: "c", value: "3")
        context.vars["d"] = "4"
    }

    @Test func isEmptyAfterBothAreTaken() {
        let held = ExchangeBox(exchange())
        held.context.vars["b"] = "2"
        let (taken, vars) = held.take { ($0, $1.vars) }
        #expect(taken == exchange())
        #expect(vars == ["b": "2"])
        // Late readers see nothing of the former exchange, and do no harm.
        #expect(held.exchange.source.isEmpty && held.context.vars.isEmpty)
        held.exchange.tags["late"] = "yes"
        #expect(held.take { exchange, _ in exchange.tags } == ["late": "yes"])
        #expect(held.take { exchange, _ in exchange.tags.isEmpty })
    }

    @Test(arguments: [0, 1, 2]) func releasesBoth(takes: Int) {
        weak var part: TLSInfo?
        do {
            let tls = TLSInfo(version: "TLSv1.3")
            part = tls
            let held = ExchangeBox(exchange(tls))
            for _ in 0..<takes { held.take { _, _ in } }
            if takes == 1 { held.exchange.connection.tls = tls }
        }
        #expect(part == nil)
    }
}
