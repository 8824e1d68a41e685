// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin

/// What a pipeline has done, while it runs or at its end.
public struct RunReport: Sendable {
    /// One source.
    public struct Source: Sendable {
        /// The id of the component.
        public let id: String
        /// What went through it.
        public let counters: SourceCounters
        /// How far it has come, in units of its own.
        public let done: Int64
        /// How far it will go, where that is known.
        public let whole: Int64?
    }

    /// One stage.
    public struct Stage: Sendable {
        /// The id of the component.
        public let id: String
        /// What went through it.
        public let counters: StageCounters
        /// What it counted of its own.
        public let metrics: [Metric]
    }

    /// One sink.
    public struct Sink: Sendable {
        /// The id of the component.
        public let id: String
        /// What went through it.
        public let counters: SinkCounters
    }

    /// The sources, in the order of the file.
    public internal(set) var sources: [Source] = []
    /// The stages, in the order in which they run.
    public internal(set) var stages: [Stage] = []
    /// The sinks, in the order of the file.
    public internal(set) var sinks: [Sink] = []
    /// How long it has run.
    public internal(set) var elapsed = Microseconds(0)
    /// The most captured bytes that were held at one time.
    public internal(set) var peakMemory = 0
    /// Whether a stage took secrets out of the records.
    public internal(set) var isRedacted = false
    /// What made the run fail, in words for people.
    public internal(set) var failures: [String] = []

    /// Exchanges that all sources together have captured.
    public var exchanges: Int { sources.reduce(0) { $0 + $1.counters.received } }

    /// Whether nothing failed, no sink is degraded, and no record was lost against policy.
    public var isSuccess: Bool {
        failures.isEmpty
            && sinks.allSatisfy {
                !$0.counters.isDegraded && $0.counters.errors == 0 && $0.counters.failures == 0
                    && $0.counters.unspilled == 0
            }
    }

    /// Whether every component's counters add up: what came in went out, or is accounted for.
    public var isBalanced: Bool {
        sources.allSatisfy {
            $0.counters.received == $0.counters.sent + $0.counters.filtered + $0.counters.dropped
        }
            && stages.allSatisfy {
                $0.counters.received == $0.counters.sent + $0.counters.dropped + $0.counters.errors
            }
            && sinks.allSatisfy { $0.counters.received == $0.counters.accounted }
            && isConnected
    }

    /// Whether each component received what the one before it sent.
    private var isConnected: Bool {
        let captured = sources.reduce(0) { $0 + $1.counters.sent }
        var passed = captured
        for stage in stages {
            guard stage.counters.received == passed else { return false }
            passed = stage.counters.sent
        }
        return sinks.allSatisfy { $0.counters.received == passed }
    }
}

extension SinkCounters {
    /// All that is known of what was received.
    var accounted: Int { written + duplicates + filtered + dropped + errors + queued }
}
