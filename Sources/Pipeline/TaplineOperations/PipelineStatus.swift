// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin
package import TaplineStatistics

/// The state and the figures of a pipeline at one moment.
package struct PipelineStatus: Sendable {
    /// Components with their counters: the sources, the stages in running order, then the sinks.
    package var components: [ComponentStatus] = []
    /// When it was started.
    package var started = Timestamp(microseconds: 0)
    /// When the status was taken.
    package var now = Timestamp(microseconds: 0)
    /// Whether all sinks are open.
    package var hasStarted = false
    /// Whether it was asked to stop.
    package var isDraining = false
    /// The captured bytes in all lanes and queues.
    package var memory = 0
    /// The highest value of `memory` so far.
    package var peakMemory = 0
    /// The value of `memory` from which on bodies are not kept.
    package var memoryLimit = 0
    /// The exchanges that wait for a decision, without their content.
    package var paused: [PausedStatus] = []
    /// The reasons that the run fails, as messages for people.
    package var failures: [String] = []

    /// Creates a status without components.
    package init() {}

    /// The components of a kind.
    package func components(_ kind: PluginDescription.Kind) -> [ComponentStatus] {
        components.filter { $0.kind == kind }
    }
}

/// An exchange that waits for a decision.
package struct PausedStatus: Sendable {
    /// The facts that may be shown of it in any case.
    package let exchange: ActiveExchange
    /// Since when it waits.
    package let since: Timestamp
    /// When it passes on unchanged.
    package let until: Timestamp
    /// The rule that has paused it.
    package let rule: String

    /// Creates an entry.
    package init(_ entry: PausedExchanges.Entry) {
        exchange = entry.active
        since = entry.at
        until = entry.until
        rule = entry.rule
    }
}

/// What a component is doing.
package enum ComponentState: String, Sendable, CaseIterable {
    /// It is not ready yet: a source that does not listen, or a sink that is not open.
    case starting
    /// It works.
    case running
    /// A source that waits for a sink.
    case waiting
    /// A sink whose calls fail or do not return.
    case failing
    /// A sink that has failed for longer than `retry.max_elapsed`.
    case degraded
    /// A sink that a reload has removed, and that still has records to write.
    case draining
    /// It has ended as planned.
    case ended
    /// A source that has ended with an error.
    case failed
}

/// The state and the figures of one component.
///
/// The same law holds for each of them:
/// received + recovered + repeated = sent + dropped + errors + queued + kept + pending.
package struct ComponentStatus: Sendable {
    /// A number of exchanges with the reason for what happened to them.
    package struct Count: Sendable, Equatable {
        /// One of a few words for programs.
        package let reason: String
        /// The number of exchanges.
        package let count: Int

        /// Creates a number.
        package init(_ reason: String, _ count: Int) {
            self.reason = reason
            self.count = count
        }
    }

    /// Measured durations.
    package struct Times: Sendable {
        /// What was measured: `exchange` by a source; `queue` and `write` by a sink.
        package let name: String
        /// The durations, in nanoseconds.
        package let distribution: Distribution

        /// Creates durations.
        package init(_ name: String, _ distribution: Distribution) {
            self.name = name
            self.distribution = distribution
        }
    }

    /// Whether it is a source, a stage or a sink.
    package let kind: PluginDescription.Kind
    /// The id of the component.
    package let id: String
    /// The name of its plugin.
    package let plugin: String
    /// The number of the configuration with which it was started, changed, moved or removed last.
    package var generation = 1
    /// The program that it runs, as that has introduced itself; `nil` if there is none.
    package var program: ComponentProgram?
    /// What it is doing.
    package var state = ComponentState.running
    /// Since when; `nil` if unknown.
    package var since: Timestamp?
    /// Why it is failing or has failed; `nil` if it is not, or if nothing is known.
    package var reason: String?
    /// The exchanges that it received.
    package var received = 0
    /// The exchanges that it passed on, or has written.
    package var sent = 0
    /// The exchanges that it dropped as configured, by reason.
    package var dropped: [Count] = []
    /// The exchanges that were lost because it failed, by reason.
    package var errors: [Count] = []
    /// Failures that lost no exchange, by kind.
    package var failures: [Count] = []
    /// The exchanges that a stage passed on unexamined, since its `when` excludes them.
    package var skipped = 0
    /// The records that a stage has received and not yet given a verdict on.
    package var pending = 0
    /// Since when the first of them waits; `nil` if none does.
    package var pendingSince: Timestamp?
    /// The records of earlier runs that a sink found in its queue on disk.
    package var recovered = 0
    /// The records that a sink gets again, since a flush has failed after it had taken them.
    package var repeated = 0
    /// The records that remain in the queue on disk of a sink that has ended.
    package var kept = 0
    /// The bytes of what it received: on the wire for a source, kept bytes for a sink.
    package var receivedBytes = 0
    /// The queue of a sink; `nil` for another component.
    package var queue: QueueStatus?
    /// What was measured.
    package var times: [Times] = []
    /// The component's own metrics.
    package var metrics: [Metric] = []

    /// Creates the status of a running component at zero.
    package init(_ kind: PluginDescription.Kind, id: String, plugin: String) {
        self.kind = kind
        self.id = id
        self.plugin = plugin
    }

    /// The number of exchanges that it dropped or lost.
    package var lost: Int { (dropped + errors).reduce(0) { $0 + $1.count } }
}

/// The queue of a sink.
package struct QueueStatus: Sendable, Equatable {
    /// The records that wait, in memory and on disk.
    package var records = 0
    /// The most records that may wait in memory before sources wait or records spill.
    package var maxRecords = 0
    /// The bytes of the records that wait in memory.
    package var bytes = 0
    /// The most bytes of records that may wait in memory.
    package var maxBytes = 0
    /// The highest number of records waiting in memory at one time.
    package var peakRecords = 0
    /// The records that wait on disk.
    package var spillRecords = 0
    /// The bytes that the spill takes on disk.
    package var spillBytes = 0
    /// All records that have been moved to disk so far.
    package var spilled = 0
    /// Whether there is no room to spill.
    package var isSpillFull = false
    /// Why records on disk cannot be read now; `nil` if they can.
    package var readFailure: String?
    /// Whether a flush has failed, and none has succeeded since.
    package var isUnflushed = false
    /// How long the oldest record has been waiting; `nil` if none waits.
    package var lag: Microseconds?
    /// How many batches of recordings wait for room.
    package var waiting = 0
    /// Batches that were retried.
    package var retries = 0
    /// How long the current call of the sink has lasted; `nil` if it is in none.
    package var call: Microseconds?

    /// Creates an empty queue.
    package init() {}
}
