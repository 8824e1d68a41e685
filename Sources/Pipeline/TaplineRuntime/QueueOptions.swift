// SPDX-License-Identifier: MIT

package import TaplineModel

/// The limits of a sink's queue, and what happens when it is full.
package struct QueueOptions: Sendable, Equatable {
    /// What happens to records that reach a full queue.
    package enum Overflow: Sendable, Equatable, CaseIterable {
        /// Recordings wait. Live sources do not: records that do not fit are spilled to disk.
        case block
        /// New records are dropped.
        case dropNewest
        /// The oldest records are dropped.
        case dropOldest
    }

    /// The most records in the queue.
    package var maxExchanges: Int
    /// The most bytes in the queue, as `Record.memory` counts them.
    package var maxBytes: Int
    /// What happens when either limit is reached.
    package var overflow: Overflow
    /// The most bytes spilled to disk; 0 disables spilling.
    package var spillMaxBytes: Int
    /// The folder of a queue that outlives the process; `nil` for a queue in memory.
    package var disk: String?
    /// The most bytes in that folder.
    package var diskMaxBytes = 1 << 30
    /// The length of a file in that folder after which the next one begins.
    package var segmentBytes = 8 << 20
    /// Whether records are synced before their source is notified.
    package var syncs = true
    /// The file for records that the sink refuses; `nil` to drop and count them.
    package var deadLetters: String?
    /// How often the sink may refuse a record.
    package var maxRefusals = 1

    /// Creates the limits of a queue.
    package init(
        maxExchanges: Int = 8192,
        maxBytes: Int = 64 << 20,
        overflow: Overflow = .block,
        spillMaxBytes: Int = 1 << 30
    ) {
        self.maxExchanges = maxExchanges
        self.maxBytes = maxBytes
        self.overflow = overflow
        self.spillMaxBytes = spillMaxBytes
    }
}

/// How often and how long a failed batch is retried.
package struct RetryOptions: Sendable, Equatable {
    /// The delay before the first retry; it doubles with each.
    package var initial: Microseconds
    /// The longest delay between retries.
    package var maxInterval: Microseconds
    /// How long a sink may fail before it is considered degraded.
    package var maxElapsed: Microseconds

    /// Creates the limits of retries.
    package init(
        initial: Microseconds = Microseconds(50_000),
        maxInterval: Microseconds = Microseconds(5_000_000),
        maxElapsed: Microseconds = Microseconds(30_000_000)
    ) {
        self.initial = initial
        self.maxInterval = maxInterval
        self.maxElapsed = maxElapsed
    }
}
