// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RulesStage

@Suite("Random numbers of rules") struct RuleRandomTests {
    private let id = ExchangeID(high: 5, low: 7)

    @Test("depend on the seed, the exchange and the rule")
    func inputs() {
        func first(_ seed: UInt64, _ id: ExchangeID, _ rule: Int) -> UInt64 {
            var random = RuleRandom(seed: seed, id, rule: rule)
            return random.next()
        }
        let other = ExchangeID(high: 5, low: 8)
        #expect(first(1, id, 0) == first(1, id, 0))
        let all = [first(1, id, 0), first(2, id, 0), first(1, other, 0), first(1, id, 1)]
        #expect(Set(all).count == 4)
    }

    @Test(
        "stay within their range",
        arguments: [0...0, 5...6, 0...Int64.max, Int64.min...Int64.max]
    )
    func range(range: ClosedRange<Int64>) {
        var random = RuleRandom(seed: 1, id, rule: 0)
        for _ in 0..<100 {
            let number = random.number(in: range)
            #expect(range.contains(number))
        }
    }

    @Test("never happen with a share of 0, and always with 1")
    func shares() {
        var random = RuleRandom(seed: 1, id, rule: 0)
        for _ in 0..<100 {
            let (never, always) = (random.happens(0), random.happens(1))
            #expect(!never && always)
        }
    }
}
