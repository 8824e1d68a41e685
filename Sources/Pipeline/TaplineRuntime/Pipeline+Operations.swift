// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
package import TaplineOperations
internal import TaplinePlugin
internal import TaplineStatistics

extension Pipeline: PipelineOperations {
    package var status: PipelineStatus {
        let report = report()
        let generation = state.withLock { $0.generation }
        let plugins = generation.topology.plugins
        let programs = generation.topology.programs
        var status = PipelineStatus()
        status.now = time
        let began = status.now.microseconds.subtractingClamped(report.elapsed.count)
        status.started = Timestamp(microseconds: began)
        status.hasStarted = hasStarted
        status.isDraining = isStopped
        status.memory = report.memory.held
        status.memoryLimit = report.memory.limit
        status.peakMemory = report.peakMemory
        status.failures = report.failures
        status.paused = paused.all.map(PausedStatus.init)
        status.components =
            report.sources.map { $0.status(plugins, at: status.now) }
            + report.stages.map { $0.status(plugins, at: status.now) }
            + report.sinks.map { $0.status(plugins, at: status.now, isOpen: status.hasStarted) }
        for index in status.components.indices {
            let id = status.components[index].id
            status.components[index].generation = generation.changes[id] ?? 1
            status.components[index].program = programs[id]
        }
        for index in status.components.indices where status.components[index].since == nil {
            guard status.components[index].state == .running, status.hasStarted else { continue }
            status.components[index].since = status.started
        }
        return status
    }

    package func drain() { stop() }
}

extension Topology {
    /// The programs that components run, by id.
    fileprivate var programs: [String: ComponentProgram] {
        let all: [(String, Any)] =
            sources.map { ($0.id, $0.source) } + stages.map { ($0.id, $0.factory) }
            + sinks.map { ($0.id, $0.factory) }
        var programs: [String: ComponentProgram] = [:]
        for (id, component) in all {
            programs[id] = (component as? any ProgramComponent)?.program
        }
        return programs
    }
}

extension Timestamp {
    /// The time a while earlier.
    fileprivate func before(_ time: Microseconds) -> Timestamp {
        Timestamp(microseconds: microseconds.subtractingClamped(time.count))
    }
}

extension RunReport.Source {
    /// The status of the component.
    fileprivate func status(_ plugins: [String: String], at now: Timestamp) -> ComponentStatus {
        var status = ComponentStatus(.source, id: id, plugin: plugins[id] ?? id)
        (status.state, status.since) = activity
        if let waiting, status.state == .running {
            status.state = .waiting
            status.since = now.before(waiting)
        }
        status.received = counters.received
        status.sent = counters.sent
        status.dropped = [
            ComponentStatus.Count("when", counters.filtered),
            ComponentStatus.Count("overload", counters.dropped),
            ComponentStatus.Count("sample", counters.sampledOut),
            ComponentStatus.Count("in_flight", counters.overLimit),
            ComponentStatus.Count("shed_memory", counters.shedMemory),
            ComponentStatus.Count("shed_cpu", counters.shedProcessor),
        ]
        status.failures = [ComponentStatus.Count("rejected", counters.rejected)]
        status.receivedBytes = counters.bytes
        status.times = [ComponentStatus.Times("exchange", durations)]
        status.metrics = metrics
        return status
    }
}

extension RunReport.Stage {
    /// The status of the component.
    fileprivate func status(_ plugins: [String: String], at now: Timestamp) -> ComponentStatus {
        var status = ComponentStatus(.stage, id: id, plugin: plugins[id] ?? id)
        status.pending = counters.pending
        status.pendingSince = waiting.map { now.before($0) }
        status.received = counters.received
        status.sent = counters.sent
        status.skipped = counters.skipped
        status.dropped = [ComponentStatus.Count("stage", counters.dropped)]
        status.errors = [ComponentStatus.Count("hook", counters.errors)]
        status.failures = [ComponentStatus.Count("wire_hook", counters.hookErrors)]
        status.metrics = metrics
        return status
    }
}

extension RunReport.Sink {
    /// The status of the component.
    fileprivate func status(
        _ plugins: [String: String],
        at now: Timestamp,
        isOpen: Bool
    ) -> ComponentStatus {
        var status = ComponentStatus(.sink, id: id, plugin: plugins[id] ?? id)
        status.state = isOpen || state.state != .running ? state.state : .starting
        status.since = state.failingFor.map { now.before($0) }
        status.reason = state.reason
        status.received = counters.received
        status.receivedBytes = counters.receivedBytes
        status.sent = counters.written
        status.recovered = counters.recovered + counters.takenOver
        status.repeated = counters.repeated
        status.kept = counters.kept + counters.handedOver
        status.dropped = [
            ComponentStatus.Count("when", counters.filtered),
            ComponentStatus.Count("duplicate", counters.duplicates),
            ComponentStatus.Count("overflow", counters.dropped - counters.unspilled),
            ComponentStatus.Count("spill_full", counters.unspilled),
        ]
        if counters.deadLetters > 0 {
            status.dropped.append(ComponentStatus.Count("refused", counters.deadLetters))
        }
        status.errors = [ComponentStatus.Count("write", counters.errors)]
        status.failures = [ComponentStatus.Count("call", counters.failures)]
        status.queue = state.queue
        status.times = [
            ComponentStatus.Times("queue", state.queueTimes),
            ComponentStatus.Times("write", state.writeTimes),
        ]
        status.metrics = metrics
        return status
    }
}
