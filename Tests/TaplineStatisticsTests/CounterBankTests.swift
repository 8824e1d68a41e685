// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStatistics

@Suite struct CounterBankTests {
    @Test func addsCounts() {
        let bank = CounterBank(count: 3)
        bank.add(to: 0)
        bank.add(5, to: 2)
        bank.add(to: 2)
        #expect(bank.counts == [1, 0, 6])
    }

    @Test func anIndexBeyondTheLastIsIgnored() {
        let bank = CounterBank(count: 1)
        bank.add(to: 1)
        bank.add(to: -1)
        #expect(bank.counts == [0])
    }

    @Test func lanesAddUp() {
        let (first, second) = (CounterBank(count: 2), CounterBank(count: 3))
        first.add(to: 1)
        second.add(4, to: 1)
        second.add(to: 2)
        #expect(CounterBank.sum([first, second]) == [0, 5, 1])
        #expect(CounterBank.sum([]).isEmpty)
    }
}
