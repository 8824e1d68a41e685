// SPDX-License-Identifier: MIT

/// What went through a source: received = sent + filtered + dropped; rejected counts apart.
public struct SourceCounters: Sendable, Equatable {
    /// Exchanges that were captured.
    public var received = 0
    /// Exchanges that went to the stages.
    public var sent = 0
    /// Exchanges that `when` left out.
    public var filtered = 0
    /// Exchanges that the source let go, since nobody took them and it may not wait.
    public var dropped = 0
    /// What was read and was no exchange.
    public var rejected = 0

    /// Nothing yet.
    public init() {}

    /// Adds the counts of a lane.
    static func += (left: inout SourceCounters, right: SourceCounters) {
        left.received += right.received
        left.sent += right.sent
        left.filtered += right.filtered
        left.dropped += right.dropped
        left.rejected += right.rejected
    }
}
