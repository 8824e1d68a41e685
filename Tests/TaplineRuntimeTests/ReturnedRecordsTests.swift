// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineRuntime

@Suite struct ReturnedRecordsTests {
    private let returned = ReturnedRecords()
    private let budget = MemoryBudget(limit: 1 << 30)

    /// Releases a batch of one record, and returns a weak reference to the record.
    private func letGo(memory: Int) throws -> WeakRecord {
        let made = records(1)
        let weak = WeakRecord(try #require(made.first))
        let batch = RecordBatch(made, memory: memory, budget: budget, returned: returned)
        #expect(batch.records.count == 1)
        return weak
    }

    @Test func recordsLiveUntilTheirLaneFreesThem() throws {
        let first = try letGo(memory: 100)
        let second = try letGo(memory: 100)
        #expect(first.record != nil && second.record != nil)
        returned.free()
        #expect(first.record == nil && second.record == nil)
    }

    @Test func recordsBeyondTheLimitAreFreedAtOnce() throws {
        let small = try letGo(memory: ReturnedRecords.maxMemory - 10)
        let large = try letGo(memory: 11)
        #expect(small.record != nil && large.record == nil)
        returned.free()
        let again = try letGo(memory: 11)
        #expect(again.record != nil)
    }

    @Test func aClosedLaneKeepsNoRecords() throws {
        let before = try letGo(memory: 100)
        returned.close()
        #expect(before.record == nil)
        let after = try letGo(memory: 100)
        #expect(after.record == nil)
    }

    @Test func returnedRecordsDoNotCountAsHeld() throws {
        let budget = MemoryBudget(limit: 400)
        var batch: RecordBatch? = RecordBatch(
            records(1),
            memory: 500,
            budget: budget,
            returned: returned
        )
        #expect(batch?.records.count == 1 && budget.isExhausted)
        batch = nil
        #expect(!budget.isExhausted)
    }
}

/// A weak reference to a record.
private struct WeakRecord {
    private(set) weak var record: Record?

    init(_ record: Record) { self.record = record }
}
