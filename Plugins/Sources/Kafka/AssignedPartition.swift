// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineKafkaClient
internal import TaplinePlugin

/// A partition while the group lets this consumer read it.
///
/// If the group takes the partition away and gives it back, that is another object: late
/// acknowledgements of the first one change nothing.
///
/// **Isolation**: any thread acknowledges; the rest is for the thread that reads.
final class AssignedPartition: Sendable {
    private struct State {
        var positions = PartitionPositions()
        /// The offset of the first message; `nil` before it.
        var first: Int64?
        /// The offset of the next message to read; `nil` before the first message.
        var next: Int64?
        /// Whether messages were read since the last batch.
        var isTouched = false
        var hasReachedEnd = false
        /// The offset of the commit that is on its way.
        var committing: Int64?
        var committed: Int64?
    }

    let name: KafkaPartition
    private let state = Mutex(State())

    init(_ name: KafkaPartition) { self.name = name }

    /// Notes a message; returns `false` if it was read before.
    func read(_ offset: Int64) -> Bool {
        state.withLock { state in
            if let next = state.next, offset < next { return false }
            guard offset >= 0, offset < .max else { return false }
            if state.first == nil { state.first = offset }
            state.next = offset + 1
            state.isTouched = true
            return true
        }
    }

    /// Returns whether the log of the partition was created again or has lost its end, so that a message
    /// with an earlier offset was not read before.
    ///
    /// - Parameters:
    ///   - offset: The offset of the message.
    ///   - end: The offset after the last message of the log; `nil` if it is not known.
    /// - Returns: Whether the message differs from the earlier one with the same offset.
    func isReplaced(at offset: Int64, end: Int64?) -> Bool {
        let (first, next) = state.withLock { ($0.first, $0.next) }
        guard let first, let next, offset >= 0, offset < next else { return false }
        return offset < first || end.map { $0 < next } ?? false
    }

    /// Notes that there was no further message.
    func reachedEnd() { state.withLock { $0.hasReachedEnd = true } }

    /// Whether the end was reached once.
    var hasReachedEnd: Bool { state.withLock { $0.hasReachedEnd } }

    /// The offset of the next message; `nil` before the first one.
    var next: Int64? { state.withLock { $0.next } }

    /// Begins a batch; returns its number, or `nil` if it has no message of the partition.
    func issue() -> UInt64? {
        state.withLock { state in
            guard state.isTouched, let next = state.next else { return nil }
            state.isTouched = false
            return state.positions.issue(next)
        }
    }

    /// All sinks are done with a batch; returns whether there is more to commit.
    func acknowledge(_ number: UInt64) -> Bool {
        state.withLock { $0.positions.acknowledge(number) }
    }

    /// Whether all batches are acknowledged.
    var isComplete: Bool { state.withLock { $0.positions.isComplete } }

    /// The number of batches, from the oldest unacknowledged one on.
    var unconfirmed: Int { state.withLock { $0.positions.unconfirmed } }

    /// The offset to commit now; `nil` if it is committed already.
    func beginCommit() -> Int64? {
        state.withLock { state in
            guard let offset = state.positions.acknowledged, offset != state.committed else {
                return nil
            }
            state.committing = offset
            return offset
        }
    }

    /// The commit has ended.
    func endCommit(isSuccess: Bool) {
        state.withLock { state in
            if isSuccess, let offset = state.committing { state.committed = offset }
            state.committing = nil
        }
    }
}
