// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineSystem

/// The stage `rules` in one lane.
final class RulesStage: BodyReadingStage {
    private let id: String
    private let maxPaused: Int
    private let watch: FileWatch<RuleSet>
    private let surroundings: RuleRun.Surroundings
    private var set: RuleSet
    private var version: Int

    init(_ watch: FileWatch<RuleSet>, maxPaused: Int, _ context: StageContext) {
        self.watch = watch
        self.maxPaused = maxPaused
        id = context.id
        // The same seed in all lanes, so that an exchange gets the same numbers in each of them.
        surroundings = RuleRun.Surroundings(
            seed: context.seed &- UInt64(truncatingIfNeeded: context.lane),
            clock: context.clock
        )
        version = watch.number
        set = watch.value
    }

    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict {
        renew()
        guard !set.onRequest.isEmpty else { return .proceed }
        var progress = RuleProgress(set: set)
        var run = RuleRun(surroundings, explains: context.recordsProvenance)
        run.request(&exchange, &progress)
        if context.recordsProvenance { run.explain(set, in: .request, to: &context) }
        if progress.isNeeded { context.states.keep(progress, of: self) }
        context.throttle.apply(run.throttle)
        return run.countedVerdict().paused(by: pause(run))
    }

    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict {
        let progress = context.states.value(of: self, as: RuleProgress.self)
        guard progress != nil || !set.onResponse.isEmpty else { return .proceed }
        var run = RuleRun(surroundings, explains: context.recordsProvenance)
        let current = progress ?? RuleProgress(set: set)
        run.response(&exchange, current)
        if context.recordsProvenance { run.explain(current.set, in: .response, to: &context) }
        context.throttle.apply(run.throttle)
        return run.countedVerdict().paused(by: pause(run))
    }

    func needsBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: borrowing ExchangeContext,
        mayChange: Bool
    ) -> Bool {
        if hook == .request {
            renew()
            return set.needsRequestBody(exchange, mayChange: mayChange)
        }
        let progress = context.states.value(of: self, as: RuleProgress.self)
        return (progress ?? RuleProgress(set: set)).needsResponseBody(
            exchange,
            mayChange: mayChange
        )
    }

    /// What the source gets if a rule pauses the exchange.
    private func pause(_ run: RuleRun) -> Pause? {
        guard let (rule, time) = run.pause else { return nil }
        let hits = rule.hits
        return Pause(
            stage: id,
            rule: rule.name,
            timeout: Microseconds(time),
            limit: maxPaused
        ) { hits.addPause(isDecided: $0 == .decided) }
    }

    /// Takes over the rules of a changed file.
    private func renew() {
        let current = watch.number
        guard current != version else { return }
        version = current
        set = watch.value
    }
}

/// The configured stage `rules`.
struct RulesStageFactory: BodyReadingFactory, RuleFileFactory, ConfiguredByFiles {
    private let loader: RuleFileLoader
    /// The time between two looks at the files; `nil` if tests look themselves.
    private let interval: Duration?
    private let maxPaused: Int
    let watch: FileWatch<RuleSet>

    init(
        _ set: RuleSet,
        _ loader: RuleFileLoader,
        maxPaused: Int = 16,
        interval: Duration? = .milliseconds(250),
        stamps: FileStamps? = nil
    ) {
        self.loader = loader
        self.interval = interval
        self.maxPaused = maxPaused
        watch = FileWatch(loader.path, set, files: set.files, stamps: stamps)
    }

    /// Both, since a changed file may have rules for either.
    var hooks: Hooks { [.request, .response] }
    var bodyReadingHooks: Hooks { [.request, .response] }

    var ruleFile: String { loader.path }
    var configurationFiles: [String] { [loader.path] + watch.value.files }

    func makeStage(_ context: StageContext) throws -> any Stage {
        let (loader, log) = (loader, context.log)
        try watch.start(every: interval) { loader.reload(log) }
        return RulesStage(watch, maxPaused: maxPaused, context)
    }

    /// The hits of each rule, and the changes of the file.
    var metrics: [Metric] {
        var metrics: [Metric] = []
        for (name, hits) in loader.counters.all {
            metrics.append(Metric("hits", of: name, count: hits.count))
            metrics.append(Metric("bodies not replaced", of: name, count: hits.cutBodyCount))
            let (pauses, passed) = hits.pauseCounts
            if pauses > 0 {
                metrics.append(Metric("pauses", of: name, count: pauses))
                metrics.append(Metric("pauses without a decision", of: name, count: passed))
            }
        }
        let (reloads, refusals) = watch.counts
        metrics.append(Metric("reloads", of: loader.name, count: reloads))
        metrics.append(Metric("refused reloads", of: loader.name, count: refusals))
        return metrics
    }
}

extension RuleRun {
    /// Counts the hits, and returns what the hook wants to happen.
    fileprivate func countedVerdict() -> Verdict {
        for rule in acted { rule.hits.add() }
        for rule in cut { rule.hits.addCutBody() }
        let verdict: Verdict =
            switch ending {
            case .respond(let response): .respond(response)
            case .fail(let error): .fail(error)
            case nil: .proceed
            }
        return delay > 0 ? verdict.delayed(by: Microseconds(delay)) : verdict
    }
}
