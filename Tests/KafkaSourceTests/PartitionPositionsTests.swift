// SPDX-License-Identifier: MIT

import Testing

@testable import KafkaSource

@Suite("Positions in a partition")
struct PartitionPositionsTests {
    @Test("an offset counts when its batch and all earlier ones are acknowledged")
    func contiguous() {
        var positions = PartitionPositions()
        let numbers = [10, 20, 30].map { positions.issue($0) }
        #expect(positions.acknowledged == nil && positions.unconfirmed == 3)
        positions.acknowledge(numbers[1])
        #expect(positions.acknowledged == nil && !positions.isComplete)
        positions.acknowledge(numbers[0])
        #expect(positions.acknowledged == 20 && positions.unconfirmed == 1)
        positions.acknowledge(numbers[2])
        #expect(positions.acknowledged == 30 && positions.isComplete)
    }

    @Test("acknowledging twice, or what was never issued, changes nothing")
    func repeated() {
        var positions = PartitionPositions()
        let number = positions.issue(7)
        let results = [number + 1, number, number].map { positions.acknowledge($0) }
        #expect(results == [false, true, false])
        #expect(positions.acknowledged == 7 && positions.isComplete)
    }

    @Test("a batch that is never acknowledged holds the offset, with bounded memory")
    func stuck() {
        var positions = PartitionPositions(limit: 8)
        let stuck = positions.issue(1)
        let later = (2...1000).map { positions.issue(Int64($0)) }
        for number in later { positions.acknowledge(number) }
        #expect(positions.acknowledged == nil && positions.unconfirmed == 1000)
        positions.acknowledge(stuck)
        #expect(positions.acknowledged == 1000 && positions.isComplete)
    }

    @Test("forgotten offsets never move the position too far")
    func forgotten() {
        var positions = PartitionPositions(limit: 4)
        let numbers = (1...64).map { positions.issue(Int64($0)) }
        for (index, number) in numbers.enumerated() {
            positions.acknowledge(number)
            #expect(positions.acknowledged ?? 0 <= Int64(index + 1))
        }
        #expect(positions.acknowledged == 64)
    }
}
