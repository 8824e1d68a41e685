// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// Records on their way from a lane to the sinks; all sinks share one.
///
/// Its memory counts from its making until the last sink has let go of it.
final class RecordBatch: Sendable {
    let records: [Record]
    let memory: Int
    private let budget: MemoryBudget

    init(_ records: [Record], memory: Int, budget: MemoryBudget) {
        self.records = records
        self.memory = memory
        self.budget = budget
        budget.take(memory)
    }

    deinit {
        budget.give(memory)
    }
}
