// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// Records on their way from a lane to the sinks; all sinks share one.
///
/// Its memory counts from its making until the last sink has let go of it.
final class RecordBatch: Sendable {
    let records: [Record]
    let memory: Int
    private let budget: MemoryBudget
    private let returned: ReturnedRecords?

    /// A batch of records, which goes to `returned` when the last sink has let go of it.
    init(
        _ records: [Record],
        memory: Int,
        budget: MemoryBudget,
        returned: ReturnedRecords? = nil
    ) {
        self.returned = returned
        self.records = records
        self.memory = memory
        self.budget = budget
        budget.take(memory)
    }

    deinit {
        budget.give(memory)
        returned?.put(records, memory: memory)
    }
}
