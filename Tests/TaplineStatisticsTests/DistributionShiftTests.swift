// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStatistics

/// Whether the numbers of two distributions differ by more than chance.
@Suite struct DistributionShiftTests {
    private func distribution(_ numbers: some Sequence<Int>) -> Distribution {
        var result = Distribution()
        for number in numbers { result.add(number) }
        return result
    }

    @Test func fewNumbersAreNotCompared() {
        #expect(DistributionShift(distribution(0..<19), distribution(0..<100)) == nil)
        #expect(DistributionShift(distribution(0..<20), distribution(0..<20)) != nil)
    }

    @Test func equalNumbersHaveNoShift() throws {
        let shift = try #require(
            DistributionShift(distribution(0..<100), distribution(0..<100))
        )
        #expect(shift.superiority == 0.5)
        #expect(shift.probability > 0.99)
        let constant = distribution(repeatElement(7, count: 50))
        #expect(DistributionShift(constant, constant)?.probability == 1)
    }

    /// The probabilities were computed from all pairs of numbers, with the error function of libm.
    @Test(arguments: [(3, 0.3583034160350128), (10, 0.0039218839047846475), (40, 0)])
    func theProbabilityFallsWithTheShift(by shift: Int, to expected: Double) throws {
        let result = try #require(
            DistributionShift(distribution(0..<60), distribution(shift..<(60 + shift)))
        )
        #expect(result.superiority > 0.5)
        #expect((result.probability - expected).magnitude < 1e-9)
    }

    @Test func theDirectionIsKnown() throws {
        let faster = try #require(
            DistributionShift(distribution(100..<200), distribution(0..<100))
        )
        #expect(faster.superiority == 0 && faster.probability == 0)
    }
}
