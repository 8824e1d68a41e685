// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineStatistics
internal import TaplineSystem

/// The metrics of a pipeline: one rule for all components, then the pipeline and the process.
struct PipelineMetrics {
    /// The upper bounds of all histograms, in nanoseconds.
    static let bounds = [
        100_000, 1_000_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
        500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000, 60_000_000_000,
    ]
    /// The most series of one component's own metrics; the others are left out and counted.
    static let maxOwnSeries = 200

    let status: PipelineStatus
    /// The reloads so far; `nil` if the pipeline cannot reload.
    let reloads: ReloadHistory?
    let process: ProcessFigures

    /// Returns the metrics as text.
    func text(_ form: MetricsText.Form) -> [UInt8] {
        var text = MetricsText(form)
        writeCounters(&text)
        writeCarriedOver(&text)
        writeQueues(&text)
        writeStates(&text)
        writeTimes(&text)
        writeOwn(&text)
        writePipeline(&text)
        writeReloads(&text)
        writeProcess(&text)
        text.finish()
        return text.bytes
    }

    private static func labels(_ component: ComponentStatus) -> [MetricsText.Label] {
        [("kind", component.kind.rawValue), ("id", component.id)]
    }

    // MARK: Components

    private func writeCounters(_ text: inout MetricsText) {
        let all = status.components
        text.family("tapline_component_received", .counter, "Exchanges that a component received.")
        for one in all { text.sample(Self.labels(one), one.received) }
        text.family(
            "tapline_component_sent",
            .counter,
            "Exchanges that a component passed on, or that a sink has written."
        )
        for one in all { text.sample(Self.labels(one), one.sent) }
        text.family(
            "tapline_component_dropped",
            .counter,
            "Exchanges that a component dropped as it was told to, by reason."
        )
        write(all, \.dropped, &text)
        text.family(
            "tapline_component_errors",
            .counter,
            "Exchanges that were lost because a component failed, by reason."
        )
        write(all, \.errors, &text)
        text.family(
            "tapline_component_failures",
            .counter,
            "Failures that lost no exchange, by reason."
        )
        write(all, \.failures, &text)
        text.family(
            "tapline_component_skipped",
            .counter,
            "Exchanges that a stage passed on without a look, since its 'when' excludes them."
        )
        for one in all where one.kind == .stage { text.sample(Self.labels(one), one.skipped) }
        text.family(
            "tapline_component_pending_records",
            .gauge,
            "Records that wait for the verdict of a stage, such as the answer of a program."
        )
        for one in all where one.kind == .stage { text.sample(Self.labels(one), one.pending) }
        text.family(
            "tapline_component_received_bytes",
            .counter,
            unit: "bytes",
            "Bytes of the received exchanges: on the wire for sources, kept bytes for sinks."
        )
        for one in all where one.kind != .stage { text.sample(Self.labels(one), one.receivedBytes) }
    }

    /// The records of the queues on disk that earlier runs have left, and that are left to later ones.
    private func writeCarriedOver(_ text: inout MetricsText) {
        let sinks = status.components(.sink)
        text.family(
            "tapline_component_recovered",
            .counter,
            "Records of earlier runs that a sink found in its queue on disk."
        )
        for one in sinks { text.sample(Self.labels(one), one.recovered) }
        text.family(
            "tapline_component_repeated",
            .counter,
            "Records that a sink gets again, since a flush has failed after it had taken them."
        )
        for one in sinks { text.sample(Self.labels(one), one.repeated) }
        text.family(
            "tapline_component_kept_records",
            .gauge,
            "Records that an ended sink has left in its queue on disk."
        )
        for one in sinks { text.sample(Self.labels(one), one.kept) }
    }

    private func write(
        _ components: [ComponentStatus],
        _ counts: KeyPath<ComponentStatus, [ComponentStatus.Count]>,
        _ text: inout MetricsText
    ) {
        for one in components {
            for count in one[keyPath: counts] {
                text.sample(Self.labels(one) + [("reason", count.reason)], count.count)
            }
        }
    }

    private func writeQueues(_ text: inout MetricsText) {
        func gauge(
            _ name: StaticString,
            unit: String? = nil,
            _ help: String,
            _ value: (QueueStatus) -> Int
        ) {
            text.family(name, .gauge, unit: unit, help)
            for one in status.components {
                if let queue = one.queue { text.sample(Self.labels(one), value(queue)) }
            }
        }
        gauge("tapline_component_queue_records", "Records that wait, in memory and on disk.") {
            $0.records
        }
        gauge(
            "tapline_component_queue_limit_records",
            "Records that may wait in memory before sources wait or records spill."
        ) { $0.maxRecords }
        gauge(
            "tapline_component_queue_bytes",
            unit: "bytes",
            "Bytes of the records that wait in memory."
        ) { $0.bytes }
        gauge(
            "tapline_component_queue_limit_bytes",
            unit: "bytes",
            "Bytes of records that may wait in memory."
        ) { $0.maxBytes }
        gauge("tapline_component_spill_records", "Records that wait on disk.") { $0.spillRecords }
        gauge(
            "tapline_component_spill_bytes",
            unit: "bytes",
            "Bytes that the spill takes on disk."
        ) { $0.spillBytes }
        gauge("tapline_component_waiting_batches", "Batches of recordings that wait for room.") {
            $0.waiting
        }
        text.family(
            "tapline_component_lag_seconds",
            .gauge,
            unit: "seconds",
            "How long the oldest record of a queue has been waiting; 0 if none waits."
        )
        for one in status.components {
            guard let queue = one.queue else { continue }
            text.sample(Self.labels(one), millionths: queue.lag?.count ?? 0)
        }
        text.family("tapline_component_spilled", .counter, "Records that were moved to disk.")
        for one in status.components {
            if let queue = one.queue { text.sample(Self.labels(one), queue.spilled) }
        }
        text.family("tapline_component_retries", .counter, "Batches that were written again.")
        for one in status.components {
            if let queue = one.queue { text.sample(Self.labels(one), queue.retries) }
        }
    }

    private func writeStates(_ text: inout MetricsText) {
        text.family(
            "tapline_component_state",
            .gauge,
            "1 for the state that a component is in, 0 for the others."
        )
        for one in status.components {
            for state in ComponentState.allCases {
                let labels = Self.labels(one) + [("state", state.rawValue)]
                text.sample(labels, one.state == state ? 1 : 0)
            }
        }
        text.family(
            "tapline_component_state_timestamp_seconds",
            .gauge,
            unit: "seconds",
            "Since when a component is in its state, in seconds since 1970."
        )
        for one in status.components {
            guard let since = one.since else { continue }
            text.sample(Self.labels(one), millionths: since.microseconds)
        }
    }

    private func writeTimes(_ text: inout MetricsText) {
        func write(_ name: StaticString, _ times: String, _ help: String) {
            text.family(name, .histogram, unit: "seconds", help)
            for one in status.components {
                for measured in one.times where measured.name == times {
                    text.histogram(measured.distribution, Self.labels(one))
                }
            }
        }
        write(
            "tapline_component_exchange_duration_seconds",
            "exchange",
            "How long the exchanges of a source took, as far as they were timed."
        )
        write(
            "tapline_component_queue_duration_seconds",
            "queue",
            "How long records waited in the queue of a sink."
        )
        write(
            "tapline_component_write_duration_seconds",
            "write",
            "How long the writes of a sink took."
        )
    }

    /// The components' own metrics, whose names and subjects become labels.
    private func writeOwn(_ text: inout MetricsText) {
        let all = status.components.map { (labels: Self.labels($0), series: $0.ownSeries) }
        text.family(
            "tapline_component_events",
            .counter,
            "A component's own counts, such as hits of a rule, by name and subject."
        )
        for one in all {
            for metric in one.series.prefix(Self.maxOwnSeries) where metric.kind == .counter {
                text.sample(one.labels + Self.labels(metric), metric.count)
            }
        }
        text.family(
            "tapline_component_value",
            .gauge,
            "A component's own present values, such as the lag of a file, by name and subject."
        )
        for one in all {
            for metric in one.series.prefix(Self.maxOwnSeries) where metric.kind == .gauge {
                text.sample(one.labels + Self.labels(metric), metric.count)
            }
        }
        text.family(
            "tapline_component_event_duration_seconds",
            .histogram,
            unit: "seconds",
            "A component's own durations, such as calls of a hook, by name and subject."
        )
        for one in all {
            for metric in one.series.prefix(Self.maxOwnSeries) {
                guard let durations = metric.durations else { continue }
                text.histogram(durations, one.labels + Self.labels(metric))
            }
        }
        text.family(
            "tapline_component_omitted_series",
            .gauge,
            "A component's own metrics that are left out, since it has too many."
        )
        for one in all {
            text.sample(one.labels, max(one.series.count - Self.maxOwnSeries, 0))
        }
    }

    private static func labels(_ metric: Metric) -> [MetricsText.Label] {
        [("name", metric.name), ("subject", metric.subject)]
    }

    // MARK: The pipeline and the process

    private func writePipeline(_ text: inout MetricsText) {
        text.family("tapline_build", .info, "The version that runs.")
        text.sample([("version", ProgramVersion.text)], 1)
        text.family(
            "tapline_started_timestamp_seconds",
            .gauge,
            unit: "seconds",
            "When the pipeline was started, in seconds since 1970."
        )
        text.sample(millionths: status.started.microseconds)
        text.family("tapline_draining", .gauge, "1 if the pipeline was asked to stop.")
        text.sample([], status.isDraining ? 1 : 0)
        text.family("tapline_paused_exchanges", .gauge, "Exchanges that wait for a decision.")
        text.sample([], status.paused.count)
        text.family(
            "tapline_memory_held_bytes",
            .gauge,
            unit: "bytes",
            "Captured bytes in all lanes and queues."
        )
        text.sample([], status.memory)
        text.family(
            "tapline_memory_peak_bytes",
            .gauge,
            unit: "bytes",
            "The most captured bytes that were held at one time."
        )
        text.sample([], status.peakMemory)
        text.family(
            "tapline_memory_limit_bytes",
            .gauge,
            unit: "bytes",
            "Captured bytes from which on bodies are not kept."
        )
        text.sample([], status.memoryLimit)
    }

    private func writeReloads(_ text: inout MetricsText) {
        text.family("tapline_generation", .gauge, "The number of the running configuration.")
        text.sample([], reloads?.generation ?? 1)
        text.family("tapline_reloads", .counter, "Reloads of the configuration, by result.")
        text.sample([("result", "succeeded")], reloads?.succeeded ?? 0)
        text.sample([("result", "failed")], reloads?.failed ?? 0)
        let times = [("succeeded", reloads?.lastSuccess), ("failed", reloads?.lastFailure?.time)]
        text.family(
            "tapline_reload_timestamp_seconds",
            .gauge,
            unit: "seconds",
            "When the last reload of a result ended, in seconds since 1970."
        )
        for (result, time) in times {
            if let time { text.sample([("result", result)], millionths: time.microseconds) }
        }
    }

    /// The names are those of Prometheus' own client libraries.
    private func writeProcess(_ text: inout MetricsText) {
        text.family(
            "process_cpu_seconds",
            .counter,
            unit: "seconds",
            "Processor time of the process."
        )
        text.sample(millionths: process.processorTime)
        func gauge(_ name: StaticString, unit: String? = nil, _ help: String, _ value: Int?) {
            guard let value else { return }
            text.family(name, .gauge, unit: unit, help)
            text.sample([], value)
        }
        gauge(
            "process_resident_memory_bytes",
            unit: "bytes",
            "Resident memory of the process.",
            process.residentMemory
        )
        gauge(
            "process_virtual_memory_bytes",
            unit: "bytes",
            "Virtual memory of the process.",
            process.virtualMemory
        )
        gauge("process_open_fds", "Open descriptors of the process.", process.descriptors)
        gauge("process_max_fds", "Descriptors that the process may open.", process.maxDescriptors)
        gauge("process_threads", "Threads of the process.", process.threads)
    }
}

extension MetricsText {
    /// Writes a distribution of nanoseconds.
    fileprivate mutating func histogram(_ distribution: Distribution, _ labels: [Label]) {
        histogram(
            labels,
            bounds: PipelineMetrics.bounds,
            counts: distribution.counts(upTo: PipelineMetrics.bounds),
            count: distribution.count,
            total: distribution.total
        )
    }
}
