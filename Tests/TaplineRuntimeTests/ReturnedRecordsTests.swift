// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineRuntime

@Suite struct ReturnedRecordsTests {
    private let returned = ReturnedRecords()
    private let budget = MemoryBudget(limit: 1 << 30)

    /// Has a batch of one record let go of, and returns the record as long as somebody holds it.
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

    @Test func whatExceedsTheLimitIsFreedAtOnce() throws {
        let small = try letGo(memory: ReturnedRecords.maxMemory - 10)
        let large = try letGo(memory: 11)
        #expect(small.record != nil && large.record == nil)
        returned.free()
        let again = try letGo(memory: 11)
        #expect(again.record != nil)
    }

    @Test func nothingIsKeptForALaneThatIsClosed() throws {
        let before = try letGo(memory: 100)
        returned.close()
        #expect(before.record == nil)
        let after = try letGo(memory: 100)
        #expect(after.record == nil)
    }

    @Test func whatWaitsForItsLaneDoesNotCountAsHeld() throws {
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

/// A record as long as somebody else holds it.
private struct WeakRecord {
    private(set) weak var record: Record?

    init(_ record: Record) { self.record = record }
}
