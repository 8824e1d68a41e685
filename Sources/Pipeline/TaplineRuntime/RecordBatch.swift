// SPDX-License-Identifier: MIT

internal import Synchronization
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
    private let hasLines = Atomic<Bool>(false)

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

    /// Gives the records at positions their encoded lines, until the last sink has released them.
    func keep(_ lines: RecordLines, at ranges: ArraySlice<(position: Int, line: Range<Int>)>) {
        hasLines.store(true, ordering: .relaxed)
        for (position, line) in ranges where !line.isEmpty {
            records[position].encodedLine = RecordLine(lines, line)
        }
    }

    deinit {
        budget.give(memory)
        if hasLines.load(ordering: .relaxed) {
            for record in records { record.encodedLine = nil }
        }
        returned?.put(records, memory: memory)
    }
}
