// SPDX-License-Identifier: MIT

/// Records of one batch that wait for a sink.
struct QueueEntry: Sendable {
    let batch: RecordBatch
    var range: Range<Int>
    let memory: Int

    init(_ batch: RecordBatch, _ range: Range<Int>, memory: Int) {
        self.batch = batch
        self.range = range
        self.memory = memory
    }

    /// The whole batch.
    init(_ batch: RecordBatch) {
        self.init(batch, batch.records.indices, memory: batch.memory)
    }
}

/// Entries in order, with their sums.
struct QueueEntries {
    private(set) var entries: [QueueEntry] = []
    /// The number of records.
    private(set) var count = 0
    /// Their memory, as `Record.memory` counts it.
    private(set) var bytes = 0

    mutating func append(_ entry: QueueEntry) {
        entries.append(entry)
        count += entry.range.count
        bytes += entry.memory
    }

    /// Puts entries back before all others.
    mutating func prepend(_ former: [QueueEntry]) {
        entries.insert(contentsOf: former, at: 0)
        for entry in former {
            count += entry.range.count
            bytes += entry.memory
        }
    }

    /// Removes entries from the front: at least one, and as many more as stay within both limits.
    mutating func removeFirst(upTo limit: Int, bytes byteLimit: Int = .max) -> [QueueEntry] {
        var end = 0
        var taken = 0
        var memory = 0
        while end < entries.count {
            let entry = entries[end]
            let fits = taken + entry.range.count <= limit && memory < byteLimit
            if end > 0, !fits { break }
            taken += entry.range.count
            memory += entry.memory
            end += 1
        }
        let first = Array(entries[..<end])
        entries.removeFirst(end)
        count -= taken
        bytes -= memory
        return first
    }

    /// Removes some records from the front, at most those of the first entry.
    ///
    /// - Returns: How many were removed.
    mutating func dropFirst(upTo excess: Int) -> Int {
        guard let entry = entries.first else { return 0 }
        let dropped = min(max(excess, 1), entry.range.count)
        count -= dropped
        if dropped == entry.range.count {
            bytes -= entry.memory
            entries.removeFirst()
            return dropped
        }
        let part = entry.memory * dropped / entry.range.count
        bytes -= part
        entries[0] = QueueEntry(
            entry.batch,
            entry.range.lowerBound + dropped..<entry.range.upperBound,
            memory: entry.memory - part
        )
        return dropped
    }
}

/// The records that wait for one sink, in order: those in memory come first, then those on the disk,
/// then those that came last and are to be moved to the disk.
///
/// ```
///             front is not full
/// submit ──┬───────────────────────────────────────────────▶ front ──▶ the sink
///          │                                                   ▲
///          └──▶ staged ──▶ moving ──▶ stored (on the disk) ────┘
/// ```
struct QueueContents {
    /// In memory, next for the sink.
    var front = QueueEntries()
    /// In memory, later than all that is stored.
    var staged = QueueEntries()
    /// In memory, in the hands of the thread that writes to the disk: later than what is stored,
    /// earlier than what is staged.
    var moving: [QueueEntry] = []
    var movingCount = 0
    /// On the disk.
    var stored = 0

    /// All records that wait.
    var count: Int { front.count + later }

    /// The records after those of the front.
    var later: Int { staged.count + movingCount + stored }

    /// The records in memory.
    var countInMemory: Int { front.count + staged.count + movingCount }

    /// Has what was staged be next for the sink, since nothing is before it.
    mutating func promote() {
        guard front.count == 0, stored == 0, movingCount == 0, staged.count > 0 else { return }
        swap(&front, &staged)
    }
}
