// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin

/// Something that waits, what it waits for, and why.
struct Blockage: Sendable, Equatable {
    /// The id of the component that waits, or of the exchange.
    let waiting: String
    /// What it waits for: the id of a sink, `write`, `open`, `answer`, `memory`, `disk` or `decision`.
    let cause: String
    /// A sentence that names both.
    let reason: String
    /// Since when; `nil` if unknown.
    let since: Timestamp?

    /// The sentence and the time.
    var text: String { reason + (since.map { ", since \($0.rfc3339)" } ?? "") }

    /// Writes it as an object.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("waiting", waiting)
            json.member("for", cause)
            json.member("reason", reason)
            if let since { json.member("since", since.rfc3339) }
        }
    }
}

extension PipelineStatus {
    /// How long a stage may take for a record before others count as waiting for it, in microseconds.
    private static let patience: Int64 = 1_000_000

    /// Who waits for whom: sources for sinks, records for the verdict of a stage, sinks for what they
    /// write to or for files to be closed, records for room on the disk, bodies for memory, exchanges
    /// for a decision.
    var blockages: [Blockage] {
        let sinks = components(.sink)
        var found: [Blockage] = []
        for source in components(.source) where source.state == .waiting {
            for sink in sinks where (sink.queue?.waiting ?? 0) > 0 {
                let text = "source '\(source.id)' waits for sink '\(sink.id)': \(Self.wait(sink))"
                let since = source.since
                found.append(
                    Blockage(waiting: source.id, cause: sink.id, reason: text, since: since)
                )
            }
        }
        for stage in components(.stage) {
            guard let since = stage.pendingSince else { continue }
            guard now.microseconds - since.microseconds >= Self.patience else { continue }
            let text = "\(stage.pending) records wait for the verdict of stage '\(stage.id)'"
            found.append(
                Blockage(waiting: stage.id, cause: "answer", reason: text, since: since)
            )
        }
        for sink in sinks { found += Self.blockages(of: sink) }
        if memoryLimit > 0, memory >= memoryLimit {
            let text = "bodies are not kept: runtime.memory (\(memoryLimit) bytes) is used up"
            found.append(Blockage(waiting: "runtime", cause: "memory", reason: text, since: nil))
        }
        for one in paused {
            let id = one.exchange.id.description
            let text =
                "exchange \(id) of source '\(one.exchange.source)' waits for a decision after rule "
                + "'\(one.rule)', until \(one.until.rfc3339)"
            found.append(Blockage(waiting: id, cause: "decision", reason: text, since: one.since))
        }
        return found
    }

    private static func blockages(of sink: ComponentStatus) -> [Blockage] {
        var found: [Blockage] = []
        let queue = sink.queue ?? QueueStatus()
        if sink.state == .failing || sink.state == .degraded {
            let why = sink.reason ?? "a call has not returned"
            let text =
                "sink '\(sink.id)' is \(sink.state.rawValue): \(why); \(queue.records) records wait, "
                + "\(queue.spillRecords) of them on disk"
            found.append(
                Blockage(waiting: sink.id, cause: "write", reason: text, since: sink.since)
            )
        }
        if sink.state == .starting, let reason = sink.reason {
            let text = "sink '\(sink.id)' is not open: \(reason); \(queue.records) records wait"
            found.append(Blockage(waiting: sink.id, cause: "open", reason: text, since: sink.since))
        }
        if sink.state == .draining {
            let text =
                "sink '\(sink.id)', which a reload has removed, still has \(queue.records) records "
                + "to write"
            found.append(Blockage(waiting: sink.id, cause: "write", reason: text, since: nil))
        }
        if queue.isSpillFull {
            let text =
                "records for sink '\(sink.id)' have no room to spill (\(queue.spillBytes) bytes are "
                + "on disk); the newest are dropped"
            found.append(Blockage(waiting: sink.id, cause: "disk", reason: text, since: nil))
        }
        if let failure = queue.readFailure {
            let text =
                "\(queue.spillRecords) records for sink '\(sink.id)' cannot be read from disk, "
                + "trying again: \(failure)"
            found.append(Blockage(waiting: sink.id, cause: "disk", reason: text, since: nil))
        }
        return found
    }

    /// Why recordings wait for a sink.
    private static func wait(_ sink: ComponentStatus) -> String {
        let queue = sink.queue ?? QueueStatus()
        if sink.state == .failing || sink.state == .degraded {
            return "it is \(sink.state.rawValue), and its records are being moved to disk"
        }
        if queue.spillRecords > 0 { return "\(queue.spillRecords) records are still on disk" }
        return "its queue is full (\(queue.records) of \(queue.maxRecords) records, "
            + "\(queue.bytes) of \(queue.maxBytes) bytes)"
    }

    /// Why the pipeline is not ready, in sentences; empty if it is.
    var obstacles: [String] {
        var found: [String] = []
        if isDraining { found.append("the pipeline is draining") }
        if !hasStarted { found.append("the sinks are not open yet") }
        for one in components {
            switch (one.kind, one.state) {
            case (.source, .starting): found.append("source '\(one.id)' does not listen yet")
            case (.source, .failed): found.append("source '\(one.id)' has failed")
            case (.sink, .degraded):
                let reason = one.reason ?? "a call has not returned"
                found.append("sink '\(one.id)' is degraded: \(reason)")
            default: break
            }
        }
        return found
    }
}
