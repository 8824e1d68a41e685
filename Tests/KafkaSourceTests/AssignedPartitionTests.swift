// SPDX-License-Identifier: MIT

import TaplineKafkaClient
import Testing

@testable import KafkaSource

@Suite("A partition that a consumer reads")
struct AssignedPartitionTests {
    private func partition(reading offsets: ClosedRange<Int64>) -> AssignedPartition {
        let partition = AssignedPartition(KafkaPartition("t", 0))
        for offset in offsets { #expect(partition.read(offset)) }
        return partition
    }

    @Test("takes each offset once")
    func repeated() {
        let partition = partition(reading: 40...49)
        #expect(!partition.read(45) && !partition.read(-1) && !partition.read(.max))
        for end in [50, 70, nil] as [Int64?] {
            #expect(!partition.isReplaced(at: 45, end: end))
        }
        #expect(partition.read(50) && partition.next == 51)
    }

    @Test("is replaced by a log that ends earlier, or begins before the first offset")
    func replaced() {
        let partition = partition(reading: 40...49)
        #expect(partition.isReplaced(at: 45, end: 49))
        for end in [10, 50, 70, nil] as [Int64?] {
            #expect(partition.isReplaced(at: 0, end: end))
        }
        #expect(!partition.isReplaced(at: 50, end: 49) && !partition.isReplaced(at: -1, end: 0))
        #expect(!AssignedPartition(partition.name).isReplaced(at: 0, end: 0))
    }
}
