// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineStatistics
internal import TaplineSystem

/// The state of a pipeline as JSON: all of it, or what a terminal shows.
struct StatusReport {
    private let status: PipelineStatus
    private let reloads: ReloadHistory?
    private let process: ProcessFigures

    init(_ status: PipelineStatus, _ reloads: ReloadHistory?, _ process: ProcessFigures) {
        self.status = status
        self.reloads = reloads
        self.process = process
    }

    /// The answer to `/status`.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            writeHead(&json)
            json.key("reloads")
            json.object { json in writeReloads(&json) }
            json.key("components")
            json.array { json in
                for one in status.components { json.object { json in write(one, &json) } }
            }
            json.key("failures")
            json.array { json in for text in status.failures { json.string(text) } }
        }
        return Array(copying: json.bytes)
    }

    /// The answer to `/top`: the same without metrics, with the buckets of all times.
    var top: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            writeHead(&json)
            json.key("components")
            json.array { json in
                for one in status.components { json.object { json in writeRow(one, &json) } }
            }
        }
        return Array(copying: json.bytes)
    }

    private func writeHead(_ json: inout JSONWriter) {
        json.member("version", ProgramVersion.text)
        json.member("time_us", status.now.microseconds)
        json.member("started", status.started.rfc3339)
        json.key("uptime_ms")
        json.thousandths(status.now.microseconds - status.started.microseconds)
        json.member("generation", reloads?.generation ?? 1)
        json.member("draining", status.isDraining)
        json.member("ready", status.obstacles.isEmpty)
        json.member("blocked", status.blockages.count)
        json.member("paused", status.paused.count)
        json.key("memory")
        json.object { json in
            json.member("held_bytes", status.memory)
            json.member("peak_bytes", status.peakMemory)
            json.member("limit_bytes", status.memoryLimit)
            if let bytes = process.residentMemory { json.member("resident_bytes", bytes) }
        }
        json.member("cpu_us", process.processorTime)
        if let count = process.descriptors { json.member("descriptors", count) }
    }

    private func writeReloads(_ json: inout JSONWriter) {
        json.member("possible", reloads != nil)
        json.member("succeeded", reloads?.succeeded ?? 0)
        json.member("failed", reloads?.failed ?? 0)
        if let time = reloads?.lastSuccess { json.member("last_success", time.rfc3339) }
        if let failure = reloads?.lastFailure {
            json.member("last_failure", failure.time.rfc3339)
            json.member("last_reasons", failure.reasons)
        }
    }

    private func writeState(_ one: ComponentStatus, _ json: inout JSONWriter) {
        json.member("kind", one.kind.rawValue)
        json.member("id", one.id)
        json.member("plugin", one.plugin)
        json.member("generation", one.generation)
        if let program = one.program {
            json.key("program")
            json.object { json in
                json.member("name", program.name)
                json.member("version", program.version)
            }
        }
        json.member("state", one.state.rawValue)
        if let since = one.since { json.member("since", since.rfc3339) }
        if let reason = one.reason { json.member("reason", reason) }
        json.member("received", one.received)
        json.member("sent", one.sent)
    }

    private func write(_ one: ComponentStatus, _ json: inout JSONWriter) {
        writeState(one, &json)
        for (name, counts) in [
            ("dropped", one.dropped), ("errors", one.errors), ("failures", one.failures),
        ] {
            json.key(name.utf8.span)
            json.object { json in
                for count in counts {
                    json.key(count.reason.utf8.span)
                    json.integer(count.count)
                }
            }
        }
        if one.kind == .stage { json.member("skipped", one.skipped) }
        if one.kind == .stage { json.member("pending", one.pending) }
        if one.kind == .sink {
            json.member("recovered", one.recovered)
            json.member("repeated", one.repeated)
            json.member("kept", one.kept)
        }
        if one.kind != .stage { json.member("received_bytes", one.receivedBytes) }
        if let queue = one.queue {
            json.key("queue")
            json.object { json in write(queue, &json) }
        }
        json.key("times")
        json.object { json in
            for times in one.times {
                json.key(times.name.utf8.span)
                json.object { json in write(times.distribution, &json) }
            }
        }
        json.key("metrics")
        json.array { json in
            let series = one.ownSeries.prefix(PipelineMetrics.maxOwnSeries)
            for metric in series where metric.count > 0 {
                json.object { json in
                    json.member("name", metric.name)
                    json.member("of", metric.subject)
                    json.member("count", metric.count)
                }
            }
        }
    }

    private func write(_ queue: QueueStatus, _ json: inout JSONWriter) {
        json.member("records", queue.records)
        json.member("max_records", queue.maxRecords)
        json.member("bytes", queue.bytes)
        json.member("max_bytes", queue.maxBytes)
        json.member("peak_records", queue.peakRecords)
        json.member("spill_records", queue.spillRecords)
        json.member("spill_bytes", queue.spillBytes)
        json.member("spilled", queue.spilled)
        json.member("spill_full", queue.isSpillFull)
        json.member("flush_failed", queue.isUnflushed)
        if let failure = queue.readFailure { json.member("read_failure", failure) }
        json.member("waiting", queue.waiting)
        json.member("retries", queue.retries)
        json.key("lag_ms")
        json.thousandths(queue.lag?.count ?? 0)
        if let call = queue.call {
            json.key("call_ms")
            json.thousandths(call.count)
        }
    }

    private func write(_ times: Distribution, _ json: inout JSONWriter) {
        json.member("count", times.count)
        json.member("p50_us", times.quantile(0.5) / 1000)
        json.member("p99_us", times.quantile(0.99) / 1000)
        json.member("max_us", times.maximum / 1000)
    }

    private func writeRow(_ one: ComponentStatus, _ json: inout JSONWriter) {
        writeState(one, &json)
        json.member("lost", one.lost)
        json.member("received_bytes", one.receivedBytes)
        if let queue = one.queue {
            json.member("queued", queue.records)
            json.member("queue_bytes", queue.bytes)
            json.member("spill_bytes", queue.spillBytes)
            json.member("lag_us", queue.lag?.count ?? 0)
        }
        // A sink's time is that of its writes, the last of its times.
        guard let times = one.times.last else { return }
        json.key("buckets")
        json.array { json in for number in times.distribution.sparseCounts { json.integer(number) }
        }
    }
}
