// SPDX-License-Identifier: MIT

internal import TaplineOperations

/// The offsets of a partition that batches reach, and those whose batches are acknowledged.
///
/// Pure: it reads no clock.
///
/// **Shape**: an offset counts when its batch and all earlier ones are acknowledged. Of more than
/// `limit` offsets that wait, every second is forgotten, but never the newest. This bounds memory
/// even if a batch is never acknowledged; a restart may read more again, never less.
/// **Units**: an offset is that of the next message to read.
struct PartitionPositions: Sendable {
    private let limit: Int
    private var positions = ContiguousPositions()
    private var issued: UInt64 = 0
    private var pending: [(number: UInt64, offset: Int64)] = []
    /// The offset up to which all batches are acknowledged; `nil` if none is.
    private(set) var acknowledged: Int64?

    init(limit: Int = 4096) { self.limit = max(2, limit) }

    /// Whether all batches are acknowledged.
    var isComplete: Bool { positions.end == issued }

    /// The number of batches, from the oldest unacknowledged one on.
    var unconfirmed: Int { Int(clamping: issued &- positions.end) }

    /// Notes the offset that a batch reaches; returns the batch's number in this partition.
    mutating func issue(_ offset: Int64) -> UInt64 {
        let number = issued
        pending.append((number, offset))
        issued += 1
        if pending.count > limit {
            let last = pending.count - 1
            pending = pending.indices.filter { $0 == last || $0.isMultiple(of: 2) }
                .map { pending[$0] }
        }
        return number
    }

    /// A batch is acknowledged; returns whether the offset has moved.
    @discardableResult
    mutating func acknowledge(_ number: UInt64) -> Bool {
        guard number < issued, positions.acknowledge(number) else { return false }
        let end = positions.end
        let count = pending.firstIndex { $0.number >= end } ?? pending.count
        guard count > 0 else { return false }
        acknowledged = pending[count - 1].offset
        pending.removeFirst(count)
        return true
    }
}
