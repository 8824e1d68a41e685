// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineModel
package import TaplineOperations
internal import TaplinePlugin

// Taking over a changed configuration.
extension Pipeline {
    /// Opens the components of a topology that are new or changed, and then replaces the running
    /// ones; the caller has one reload run at a time.
    ///
    /// - Throws: `ReloadError` with the reasons; nothing has changed then.
    package func reload(to topology: Topology) async throws(ReloadError) -> ReloadOutcome {
        let old = state.withLock { $0.generation }
        try checkRunning()
        if let obstacle = TopologyChange.obstacle(from: old.topology, to: topology) {
            throw ReloadError(obstacle)
        }
        let change = TopologyChange(from: old.topology, to: topology)
        guard !change.isEmpty else {
            return .applied(generation: old.number, changed: [])
        }
        let sinks = try await openSinks(change.topology, old)
        let number = nextNumber(after: old)
        let changes = old.changes.merging(change.ids.map { ($0, number) }) { $1 }
        let next = makeGeneration(number, change.topology, sinks.all, changes: changes)
        let sources = planSources(next)
        do {
            try sources.prepareLanes(next)
            try await open(sources)
            try apply(next, sources)
        } catch {
            discard(sources, sinks)
            throw ReloadError("\(error)")
        }
        for (sink, others) in sinks.waiting { sink.start(after: others, now: now) }
        return .applied(generation: next.number, changed: change.ids)
    }

    private func checkRunning() throws(ReloadError) {
        let isRunning = state.withLock {
            $0.work != nil && $0.stopped == nil && $0.sourcesEnded == nil
        }
        if !isRunning { throw ReloadError("the pipeline is ending") }
    }

    /// Numbers of generations that failed are not used again, since a source of theirs may have
    /// counted.
    private func nextNumber(after old: Generation) -> Int {
        state.withLock { state in
            state.lastNumber = max(state.lastNumber, old.number) + 1
            return state.lastNumber
        }
    }
}

// MARK: - Sinks

extension Pipeline {
    /// The sinks of the next generation.
    private struct SinkPlan {
        var all: [SinkRunner] = []
        /// Those that are new or changed.
        var new: [SinkRunner] = []
        /// Those that open once others have closed the same files.
        var waiting: [(sink: SinkRunner, others: [SinkRunner])] = []
    }

    /// Opens the new sinks, except those whose files others still have.
    private func openSinks(
        _ topology: Topology,
        _ old: Generation
    ) async throws(ReloadError) -> SinkPlan {
        var plan = SinkPlan()
        let running = Array(zip(old.topology.sinks, old.sinks))
        let kept = Set(topology.sinks.map { ObjectIdentifier($0.identity) })
        let removed = running.filter { !kept.contains(ObjectIdentifier($0.0.identity)) }.map(\.1)
        let closing = state.withLock { $0.retired.sinks.map(\.runner) } + removed
        for sink in topology.sinks {
            if let same = running.first(where: { $0.0.identity === sink.identity }) {
                plan.all.append(same.1)
                continue
            }
            let runner = Pipeline.makeSink(sink, of: topology, log: log, budget)
            plan.all.append(runner)
            let others = closing.filter { !Set($0.claims).isDisjoint(with: runner.claims) }
            if !others.isEmpty {
                plan.waiting.append((runner, others))
                plan.new.append(runner)
            } else if let error = await runner.start(now: now) {
                for sink in plan.new { sink.queue.close() }
                throw ReloadError("sink '\(sink.id)' did not start: \(error)")
            } else {
                plan.new.append(runner)
            }
        }
        return plan
    }
}

// MARK: - Sources

extension Pipeline {
    /// The sources of the next generation.
    private final class SourcePlan {
        var all: [SourceRunner] = []
        var kept: [(source: SourceRunner, lanes: SourceRunner.Preparation)] = []
        var new: [SourceRunner] = []
        var removed: [SourceRunner] = []

        /// Creates the lanes of the sources that continue.
        func prepareLanes(_ next: Generation) throws {
            for source in all where !new.contains(where: { $0 === source }) && !source.hasEnded {
                kept.append((source, try source.prepare(next)))
            }
        }

        /// The source that uses the same resources as a new one, and ends.
        func predecessor(of source: SourceRunner) -> SourceRunner? {
            removed.first { !$0.claims.isDisjoint(with: source.claims) }
        }

        /// Whether a new source listens in place of one that ends.
        func hasSuccessor(_ source: SourceRunner) -> Bool {
            guard source.isListening else { return false }
            return new.contains {
                $0.isListening && ($0.id == source.id || !$0.claims.isDisjoint(with: source.claims))
            }
        }
    }

    private func planSources(_ next: Generation) -> SourcePlan {
        let running = state.withLock { $0.sources }
        let plan = SourcePlan()
        let changed = next.topology.sources.filter { source in
            !running.contains { $0.source.identity === source.identity }
        }
        let start = ReplayStart(of: changed.filter(\.startsTogether).map(\.id))
        for source in next.topology.sources {
            if let same = running.first(where: { $0.source.identity === source.identity }) {
                plan.all.append(same)
            } else {
                let runner = SourceRunner(source, in: next, services, replayStart: start)
                plan.all.append(runner)
                plan.new.append(runner)
            }
        }
        plan.removed = running.filter { source in !plan.all.contains { $0 === source } }
        return plan
    }

    /// Opens the new sources that clients connect to; they take over the sockets of their
    /// predecessors.
    private func open(_ plan: SourcePlan) async throws {
        for source in plan.new where source.isListening {
            start(source, isOpening: true)
            if let error = await source.waitUntilOpen() {
                throw ReloadError("source '\(source.id)' did not start: \(error)")
            }
        }
    }

    /// Replaces the running generation.
    private func apply(_ next: Generation, _ plan: SourcePlan) throws {
        let old = topology
        let isApplied = state.withLock { state in
            guard state.stopped == nil, state.sourcesEnded == nil else { return false }
            let removed = state.generation.sinks.filter { sink in
                !next.sinks.contains { $0 === sink }
            }
            state.generation = next
            state.sources = plan.all
            state.retired.sources += plan.removed
            state.retired.sinks += removed.map { RetiredComponents.Sink(runner: $0) }
            return true
        }
        guard isApplied else { throw ReloadError("the pipeline is ending") }
        budget.limit = next.topology.memory
        limits.maxInFlight = next.topology.maxExchangesInFlight
        if !old.sheds(like: next.topology) { replaceShedding(next.topology) }
        loggedStages.add(next.topology.stages)
        for (source, lanes) in plan.kept { source.adopt(next, lanes) }
        for source in plan.new where !source.isListening {
            start(source, after: plan.predecessor(of: source))
        }
        for source in plan.removed {
            source.cancel(hasSuccessor: plan.hasSuccessor(source))
            services.progress.isUp(source.id)
        }
        // The sources that clients connect to have taken theirs before.
        services.sockets.removeTaken(exceptBy: plan.all)
        watchRetired()
    }

    /// Measures the load as a topology asks for, and sheds nothing until then.
    private func replaceShedding(_ topology: Topology) {
        let monitor = SheddingMonitor.of(topology, limits, budget, log)
        let former = state.withLock { state in
            defer { state.shedding = monitor }
            return state.shedding
        }
        former?.stop()
        limits.shed(.none)
        monitor?.start()
    }

    /// Ends what was opened for a generation that does not apply.
    private func discard(_ plan: SourcePlan, _ sinks: SinkPlan) {
        for (_, lanes) in plan.kept { lanes.discard() }
        for source in plan.new { source.cancel() }
        for (sink, _) in sinks.waiting { sink.abandon() }
        state.withLock { state in
            // A source that listened already may have captured exchanges.
            state.retired.sources += plan.new.filter(\.isListening)
            state.retired.sinks += sinks.new.map { RetiredComponents.Sink(runner: $0) }
        }
        watchRetired()
    }
}

// MARK: - The end of removed components

extension Pipeline {
    private static let watchInterval = Duration.milliseconds(20)

    /// Closes removed sinks once no exchange needs them, and forgets what has ended.
    private func watchRetired() {
        let starts = state.withLock { state in
            defer { state.retired.isWatched = true }
            return !state.retired.isWatched
        }
        guard starts else { return }
        Task(executorPreference: executor) { [self] in
            repeat { try? await Task.sleep(for: Self.watchInterval) } while await !endRetired()
        }
    }

    /// Returns whether nothing is left.
    private func endRetired() async -> Bool {
        let (sinks, sources) = state.withLock { state in
            state.retired.sources.removeAll(where: \.hasEnded)
            return (state.retired.sinks, state.sources + state.retired.sources)
        }
        for sink in sinks {
            if sink.closed == nil {
                let isUsed =
                    ledger.isBusy(sink.runner)
                    || sources.contains { source in
                        !source.hasEnded
                            && source.generation.sinks.contains { $0 === sink.runner }
                    }
                if !isUsed { close(sink.runner) }
            } else {
                // The successor waits for it since a moment ago at most.
                if hasSuccessor(sink.runner) { sink.runner.queue.leave() }
                if await hasEnded(sink) { forget(sink.runner) }
            }
        }
        ledger.fold(except: state.withLock { $0.generation.number })
        return state.withLock { state in
            guard state.retired.isEmpty || state.sourcesEnded != nil else { return false }
            state.retired.isWatched = false
            return true
        }
    }

    /// Whether a sink waits to continue with the queue on disk of a removed one.
    func hasSuccessor(_ sink: SinkRunner) -> Bool {
        guard sink.queue.disk != nil else { return false }
        let sinks = allSinks
        guard let position = sinks.firstIndex(where: { $0 === sink }) else { return false }
        return sinks[(position + 1)...].contains { $0.isWaitingToOpen && $0.sharesDisk(with: sink) }
    }

    private func close(_ sink: SinkRunner) {
        sink.queue.close()
        state.withLock { state in
            guard let index = state.retired.sinks.firstIndex(where: { $0.runner === sink }) else {
                return
            }
            state.retired.sinks[index].closed = .now()
        }
    }

    /// Returns whether a sink has ended; one that is degraded may take `drain_timeout`.
    private func hasEnded(_ sink: RetiredComponents.Sink) async -> Bool {
        let runner = sink.runner
        if runner.isAbandoned { return true }
        if await runner.wait(atMost: Microseconds(.milliseconds(1))) { return true }
        let limit = DispatchTimeInterval.microseconds(
            Int(clamping: max(topology.drainTimeout.count, 0))
        )
        guard let closed = sink.closed, .now() >= closed + limit,
            runner.isWaitingToOpen || runner.queue.counters.isDegraded
        else { return false }
        abandon(runner)
        return true
    }

    private func forget(_ sink: SinkRunner) {
        ledger.fold(except: state.withLock { $0.generation.number })
        var last = sink.queue.state
        guard ledger.forget(sink, received: last.counters.received) else { return }
        last.state = .ended
        state.withLock { state in
            state.retired.sinks.removeAll { $0.runner === sink }
            state.retired.ended[sink.id, default: .ended].add(retired: last)
        }
    }
}
