// SPDX-License-Identifier: MIT

internal import TaplineOperations

/// The positions in followed files that batches reach, and those whose batches are acknowledged.
///
/// Pure: it reads no clock.
///
/// **Shape**: a position counts when its batch and all earlier ones are acknowledged. Of more than
/// `limit` positions that wait, some are forgotten, but never the newest of a file. This bounds
/// memory even if a batch is never acknowledged; a restart may read more again, never less.
/// **Units**: times are microseconds of a monotonic clock.
struct FollowPositions: Sendable {
    private struct Pending {
        let number: UInt64
        let path: String
        let mark: FollowMark
    }

    /// Since when the oldest batch that is not acknowledged has been the same one.
    private struct Stall {
        let end: UInt64
        let since: Int64
        var isReported = false
    }

    /// The time after which positions that do not move are reported.
    static let stallTime: Int64 = 60_000_000

    private let limit: Int
    private var positions = ContiguousPositions()
    private var issued: UInt64 = 0
    private var pending: [Pending] = []
    private var stall: Stall?
    /// The acknowledged position in each file.
    private(set) var marks: [String: FollowMark]

    init(_ marks: [String: FollowMark] = [:], limit: Int = 1024) {
        self.marks = marks
        self.limit = limit
    }

    /// Whether all batches are acknowledged.
    var isComplete: Bool { pending.isEmpty }

    /// How many positions wait, without those that were forgotten.
    var pendingCount: Int { pending.count }

    /// The number of batches, from the oldest unacknowledged one on.
    var unconfirmed: Int { Int(clamping: issued &- positions.end) }

    /// Notes the position that a batch reaches; returns its number.
    mutating func issue(_ path: String, _ mark: FollowMark) -> UInt64 {
        let number = issued
        pending.append(Pending(number: number, path: path, mark: mark))
        issued += 1
        if pending.count > limit { forgetSome() }
        return number
    }

    /// A batch is acknowledged; returns whether any position has moved.
    mutating func acknowledge(_ number: UInt64) -> Bool {
        guard positions.acknowledge(number) else { return false }
        let end = positions.end
        let count = pending.firstIndex { $0.number >= end } ?? pending.count
        for entry in pending[..<count] { marks[entry.path] = entry.mark }
        pending.removeFirst(count)
        return count > 0
    }

    /// Returns the file whose position has not moved for `stallTime`, once each time it stops.
    mutating func stalledPath(now: Int64) -> String? {
        guard let first = pending.first else {
            stall = nil
            return nil
        }
        guard let held = stall, held.end == positions.end else {
            stall = Stall(end: positions.end, since: now)
            return nil
        }
        guard !held.isReported, now &- held.since >= Self.stallTime else { return nil }
        stall?.isReported = true
        return first.path
    }

    /// Removes every second position that has a newer one of the same file.
    private mutating func forgetSome() {
        var newest: Set<String> = []
        var isRemoved = false
        var kept: [Pending] = []
        for entry in pending.reversed() {
            if newest.insert(entry.path).inserted {
                kept.append(entry)
                continue
            }
            isRemoved.toggle()
            if !isRemoved { kept.append(entry) }
        }
        kept.reverse()
        pending = kept
    }
}
