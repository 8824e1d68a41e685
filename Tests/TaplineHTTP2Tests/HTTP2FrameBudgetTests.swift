// SPDX-License-Identifier: MIT

import TaplineHTTP2
import Testing

/// A budget that an expectation may change.
private final class Budget {
    var value: HTTP2FrameBudget

    init(_ limits: HTTP2FrameLimits) { value = HTTP2FrameBudget(limits) }

    func spend(_ kind: HTTP2FrameBudget.Kind, _ count: Int) -> Bool { value.spend(kind, count) }
}

/// Tests for the budgets of frames that carry nothing.
@Suite
struct HTTP2FrameBudgetTests {
    private static let limits = HTTP2FrameLimits(
        resets: 10,
        pings: 20,
        settings: 30,
        ignored: 40,
        windowUpdates: 50,
        empty: 60,
        seconds: 10
    )

    @Test(arguments: HTTP2FrameBudget.Kind.allCases, [10, 20, 30, 40, 50, 60])
    func `each kind has its own balance`(_ kind: HTTP2FrameBudget.Kind, _ count: Int) {
        let budget = Budget(Self.limits)
        let limit = 10 * (kind.rawValue + 1)
        #expect(budget.spend(kind, count) == (count <= limit))
        for other in HTTP2FrameBudget.Kind.allCases where other != kind {
            #expect(budget.spend(other, 10))
        }
    }

    @Test func `time gives back the whole balance within the period`() {
        let budget = Budget(Self.limits)
        budget.value.refill(useful: 0, at: 100)
        #expect(budget.spend(.resets, 10))
        #expect(!budget.spend(.resets, 1))
        budget.value.refill(useful: 0, at: 105)
        #expect(budget.spend(.resets, 5))
        #expect(!budget.spend(.resets, 1))
        budget.value.refill(useful: 0, at: 1_000_000)
        #expect(budget.spend(.resets, 10))
        #expect(!budget.spend(.resets, 1))
    }

    @Test func `a clock that goes back gives nothing`() {
        let budget = Budget(Self.limits)
        budget.value.refill(useful: 0, at: .max)
        #expect(budget.spend(.pings, 20))
        budget.value.refill(useful: 0, at: .min)
        budget.value.refill(useful: 0, at: .max)
        #expect(!budget.spend(.pings, 1))
    }

    private static let prices: [(HTTP2FrameBudget.Kind, Int)] = [
        (.resets, 1), (.pings, 2), (.settings, 0), (.ignored, 2), (.windowUpdates, 4), (.empty, 1),
    ]

    @Test(arguments: prices)
    func `useful frames pay for others`(_ kind: HTTP2FrameBudget.Kind, _ price: Int) {
        let budget = Budget(Self.limits)
        #expect(budget.spend(kind, 10 * (kind.rawValue + 1)))
        budget.value.refill(useful: 3, at: 0)
        #expect(budget.spend(kind, 3 * price))
        #expect(!budget.spend(kind, 1))
    }

    @Test func `odd limits are bounded`() {
        let budget = Budget(HTTP2FrameLimits(resets: -1, pings: .max, seconds: 0))
        #expect(!budget.spend(.resets, 1))
        #expect(budget.spend(.pings, 1_000_000_000))
        #expect(!budget.spend(.pings, .max))
        budget.value.refill(useful: .max, at: .max)
        #expect(budget.spend(.pings, 2_000_000))
    }
}
