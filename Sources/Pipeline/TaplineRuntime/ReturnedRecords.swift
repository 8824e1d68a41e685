// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// Records that all sinks have released, kept until the lane that made them frees their memory.
///
/// A record consists of many allocations. If a sink's thread frees what a lane's thread allocated,
/// they contend for malloc's locks, which costs a tenth of a pipeline's processor time.
///
/// **Limits**: records of `maxMemory` bytes; further ones are freed at once.
/// **Isolation**: any thread puts, the lane's thread frees.
final class ReturnedRecords: Sendable {
    /// As `Record.memory` counts it.
    static let maxMemory = 2 << 20

    private struct Held {
        var records: [[Record]] = []
        var memory = 0
        var isClosed = false
    }

    private let held = Mutex(Held())

    /// Keeps records for the lane, unless too many wait or the lane is closed.
    func put(_ records: [Record], memory: Int) {
        held.withLock {
            guard !$0.isClosed, $0.memory + memory <= ReturnedRecords.maxMemory else { return }
            $0.records.append(records)
            $0.memory += memory
        }
    }

    /// Frees the kept records.
    func free() { _ = take(andClose: false) }

    /// Frees the kept records; records put later are freed at once.
    func close() { _ = take(andClose: true) }

    /// Removes the records, so that the caller frees them outside the lock.
    private func take(andClose isClosing: Bool) -> [[Record]] {
        held.withLock {
            let records = $0.records
            $0 = Held(isClosed: $0.isClosed || isClosing)
            return records
        }
    }
}
