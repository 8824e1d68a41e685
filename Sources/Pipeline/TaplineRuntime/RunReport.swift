// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineOperations
package import TaplinePlugin
package import TaplineStatistics

/// The results of a pipeline, while it runs or after it has ended.
package struct RunReport: Sendable {
    /// The results of one source.
    package struct Source: Sendable {
        /// The id of the component.
        package let id: String
        /// The counters of the source.
        package let counters: SourceCounters
        /// The progress of the source, in its own units.
        package let done: Int64
        /// The final value of `done`; `nil` if unknown.
        package let whole: Int64?
        /// The figures of a source that sends recorded requests; `nil` for another source.
        package let replay: ReplayReport?
        /// The source's own metrics.
        package var metrics: [Metric] = []
        /// What it is doing, and since when; `nil` before it begins.
        package var activity = (state: ComponentState.starting, since: Timestamp?.none)
        /// How long it has been waiting for a sink; `nil` if it is not.
        package var waiting: Microseconds?
        /// The durations of its exchanges.
        package var durations = Distribution()
    }

    /// The results of one stage.
    package struct Stage: Sendable {
        /// The id of the component.
        package let id: String
        /// The counters of the stage.
        package let counters: StageCounters
        /// The stage's own metrics.
        package let metrics: [Metric]
        /// How long the first record has been waiting for a verdict; `nil` if none waits.
        package var waiting: Microseconds?
    }

    /// The results of one sink.
    package struct Sink: Sendable {
        /// The id of the component.
        package let id: String
        /// The counters of the sink.
        package let counters: SinkCounters
        /// The state of the sink and its queue.
        package var state = SinkState()
        /// The sink's own metrics.
        package var metrics: [Metric] = []
    }

    /// The sources, in the order of the file.
    package internal(set) var sources: [Source] = []
    /// The stages, in the order in which they run.
    package internal(set) var stages: [Stage] = []
    /// The sinks, in the order of the file.
    package internal(set) var sinks: [Sink] = []
    /// How long the pipeline has run.
    package internal(set) var elapsed = Microseconds(0)
    /// The captured bytes that are held now, and the limit.
    package internal(set) var memory = (held: 0, limit: 0)
    /// The highest number of captured bytes held at one time.
    package internal(set) var peakMemory = 0
    /// Whether a stage removed secrets from the records.
    package internal(set) var isRedacted = false
    /// Whether each component received what the one before it sent, in every configuration of the
    /// run.
    package internal(set) var isConnected = true
    /// The reasons that the run failed, as messages for people.
    package internal(set) var failures: [String] = []

    /// The number of exchanges that all sources have captured.
    package var exchanges: Int { sources.reduce(0) { $0 + $1.counters.received } }

    /// Whether nothing failed, no sink is degraded, and no record was lost against policy.
    package var isSuccess: Bool {
        failures.isEmpty
            && sinks.allSatisfy {
                !$0.counters.isDegraded && $0.counters.errors == 0 && $0.counters.failures == 0
                    && $0.counters.unspilled == 0
            }
    }

    /// Whether every component's counters add up: each record that came in went out or is accounted
    /// for.
    package var isBalanced: Bool {
        sources.allSatisfy {
            $0.counters.received
                == $0.counters.sent + $0.counters.filtered + $0.counters.unrecorded
                + $0.counters.dropped
        }
            && stages.allSatisfy {
                $0.counters.received == $0.counters.sent + $0.counters.dropped + $0.counters.errors
            }
            && sinks.allSatisfy { $0.counters.received == $0.counters.accounted }
            && isConnected
    }
}

extension SinkCounters {
    /// The number of received records whose fate is known.
    var accounted: Int {
        let ended = written + duplicates + filtered + dropped + errors + deadLetters
        return ended + queued + kept + handedOver - recovered - takenOver - repeated
    }
}
