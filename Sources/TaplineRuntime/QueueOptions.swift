// SPDX-License-Identifier: MIT

public import TaplineModel

/// How a sink's queue is bounded, and what happens when it is full.
public struct QueueOptions: Sendable, Equatable {
    /// What happens to records that come to a full queue.
    public enum Overflow: Sendable, Equatable, CaseIterable {
        /// Recordings wait; live sources do not, what does not fit is moved to the disk.
        case block
        /// What comes is dropped.
        case dropNewest
        /// What has waited longest is dropped.
        case dropOldest
    }

    /// The most records.
    public var maxExchanges: Int
    /// The most bytes, as `Record.memory` counts them.
    public var maxBytes: Int
    /// What happens when one of both is reached.
    public var overflow: Overflow
    /// The most bytes on the disk; 0 if nothing is moved there.
    public var spillMaxBytes: Int

    /// The bounds of a queue.
    public init(
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

/// How often and how long a failed batch is tried again.
public struct RetryOptions: Sendable, Equatable {
    /// The pause before the first new try; it doubles with each.
    public var initial: Microseconds
    /// The longest pause.
    public var maxInterval: Microseconds
    /// How long a sink may fail before it counts as degraded.
    public var maxElapsed: Microseconds

    /// The bounds of trying again.
    public init(
        initial: Microseconds = Microseconds(50_000),
        maxInterval: Microseconds = Microseconds(5_000_000),
        maxElapsed: Microseconds = Microseconds(30_000_000)
    ) {
        self.initial = initial
        self.maxInterval = maxInterval
        self.maxElapsed = maxElapsed
    }
}
