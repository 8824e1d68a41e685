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

/// Entries in order, with their totals.
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

    /// Puts entries back in front of all others.
    mutating func prepend(_ former: [QueueEntry]) {
        entries.insert(contentsOf: former, at: 0)
        for entry in former {
            count += entry.range.count
            bytes += entry.memory
        }
    }

    /// Removes entries from the front: at least one, and more as long as both limits allow.
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

    /// Removes records from the front, at most those of the first entry.
    ///
    /// - Returns: The number of removed records.
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

/// The records that wait for one sink, in order: those in memory, then those on disk, then the
/// newest ones, which are to be moved to disk.
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
    /// In memory, after all stored records.
    var staged = QueueEntries()
    /// In memory, being written to disk by the spill thread: after the stored records, before the
    /// staged ones.
    var moving: [QueueEntry] = []
    var movingCount = 0
    /// On disk.
    var stored = 0

    /// The number of all waiting records.
    var count: Int { front.count + later }

    /// The number of records after the front.
    var later: Int { staged.count + movingCount + stored }

    /// The number of records in memory.
    var countInMemory: Int { front.count + staged.count + movingCount }

    /// Moves the staged records to the front if nothing is before them.
    mutating func promote() {
        guard front.count == 0, stored == 0, movingCount == 0, staged.count > 0 else { return }
        swap(&front, &staged)
    }
}
