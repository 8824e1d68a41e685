// SPDX-License-Identifier: MIT

internal import TaplineSegments

/// Records of one batch that wait for a sink.
struct QueueEntry: Sendable {
    let batch: RecordBatch
    var range: Range<Int>
    let memory: Int
    /// When it was submitted, in microseconds of a monotonic clock; 0 if unknown.
    let arrived: Int64
    /// The position after it in the queue on disk; `nil` if it is only in memory.
    private(set) var end: SegmentPosition?

    init(_ batch: RecordBatch, _ range: Range<Int>, memory: Int, arrived: Int64 = 0) {
        self.batch = batch
        self.range = range
        self.memory = memory
        self.arrived = arrived
    }

    /// Whether it has the last record of its batch.
    var endsBatch: Bool { range.upperBound == batch.records.endIndex }

    /// The whole batch.
    init(_ batch: RecordBatch, arrived: Int64 = 0) {
        self.init(batch, batch.records.indices, memory: batch.memory, arrived: arrived)
    }

    /// The entry, which is on disk up to a position.
    func ending(at position: SegmentPosition) -> QueueEntry {
        var entry = self
        entry.end = position
        return entry
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

    /// Divides the first entry, if it has more than `count` records.
    mutating func divideFirst(at count: Int) {
        guard let entry = entries.first, entry.range.count > count, count > 0 else { return }
        let middle = entry.range.lowerBound + count
        let memory = entry.memory / entry.range.count * count
        let first = QueueEntry(
            entry.batch,
            entry.range.lowerBound..<middle,
            memory: memory,
            arrived: entry.arrived
        )
        entries[0] = QueueEntry(
            entry.batch,
            middle..<entry.range.upperBound,
            memory: entry.memory - memory,
            arrived: entry.arrived
        )
        entries.insert(first, at: 0)
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
            memory: entry.memory - part,
            arrived: entry.arrived
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
    /// When the stored records were submitted, in order, with the number of records of each time.
    var storedTimes: [(arrived: Int64, count: Int)] = []
    /// Taken by the sink since its last flush and kept in memory, so that it can get them again.
    ///
    /// Empty unless a source waits for an acknowledgement. They no longer count as waiting.
    var unflushed = QueueEntries()
    /// How far the front may exceed the limits of the queue, since a failed flush has returned
    /// records to it.
    ///
    /// These records had left the queue, so they take no room from others. The sink takes them again
    /// before all others.
    private(set) var returned = (count: 0, bytes: 0)

    /// The number of all waiting records.
    var count: Int { front.count + later }

    /// The number of records after the front.
    var later: Int { staged.count + movingCount + stored }

    /// The number of records in memory.
    var countInMemory: Int { front.count + staged.count + movingCount }

    /// The bytes of the records in memory.
    var bytes: Int { front.bytes + staged.bytes + moving.reduce(0) { $0 + $1.memory } }

    /// When the oldest record was submitted; `nil` if there is none, or if that is unknown.
    var oldest: Int64? {
        let time =
            front.entries.first?.arrived ?? storedTimes.first?.arrived ?? moving.first?.arrived
            ?? staged.entries.first?.arrived
        return time == 0 ? nil : time
    }

    /// Notes that the moving records are on disk.
    mutating func noteStored() {
        for entry in moving {
            let isSame = storedTimes.last?.arrived == entry.arrived
            // Times within a second are one, so that a long spill needs little memory.
            if let last = storedTimes.last, isSame || entry.arrived - last.arrived < 1_000_000 {
                storedTimes[storedTimes.count - 1].count += entry.range.count
            } else {
                storedTimes.append((entry.arrived, entry.range.count))
            }
        }
    }

    /// Notes that records were read from the disk; returns when the first of them was submitted.
    mutating func noteRead(_ count: Int) -> Int64 {
        guard let first = storedTimes.first?.arrived else { return 0 }
        var rest = count
        while rest > 0, let next = storedTimes.first {
            if next.count > rest {
                storedTimes[0].count -= rest
                break
            }
            rest -= next.count
            storedTimes.removeFirst()
        }
        return first
    }

    /// Takes entries from the front: at least one, and more as long as they have at most `limit`
    /// records.
    mutating func takeFront(upTo limit: Int) -> [QueueEntry] {
        let (count, bytes) = (front.count, front.bytes)
        let taken = front.removeFirst(upTo: limit)
        returned.count = max(returned.count - (count - front.count), 0)
        returned.bytes = returned.count == 0 ? 0 : max(returned.bytes - (bytes - front.bytes), 0)
        return taken
    }

    /// Puts the records that were not flushed in front of all others.
    mutating func requeueUnflushed() {
        returned.count += unflushed.count
        returned.bytes += unflushed.bytes
        front.prepend(unflushed.entries)
        unflushed = QueueEntries()
    }

    /// Returns the records that could not be moved to the front of the staged ones.
    mutating func stageMoving() {
        staged.prepend(moving)
        moving = []
        movingCount = 0
    }

    /// Moves the staged records to the front if nothing is before them.
    mutating func promote() {
        guard front.count == 0, stored == 0, movingCount == 0, staged.count > 0 else { return }
        swap(&front, &staged)
    }
}
