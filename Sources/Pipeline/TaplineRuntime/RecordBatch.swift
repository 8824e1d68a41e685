// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// Records on their way from a lane to the sinks, shared by all sinks.
///
/// Its memory is counted until the last sink has released it.
final class RecordBatch: Sendable {
    let records: [Record]
    let memory: Int
    /// Notified by each sink; `nil` unless the source keeps a position.
    let acknowledgement: BatchAcknowledgement?
    private let budget: MemoryBudget
    private let returned: ReturnedRecords?

    /// Creates a batch whose records go to `returned` when the last sink has released it.
    init(
        _ records: [Record],
        memory: Int,
        budget: MemoryBudget,
        returned: ReturnedRecords? = nil,
        acknowledgement: BatchAcknowledgement? = nil
    ) {
        self.acknowledgement = acknowledgement
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
