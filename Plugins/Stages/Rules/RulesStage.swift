// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The stage `rules` in one lane.
final class RulesStage: BodyReadingStage {
    private let watch: RuleFileWatch
    private let log: Log
    private let surroundings: RuleRun.Surroundings
    private var set: RuleSet
    private var version: Int

    init(_ watch: RuleFileWatch, _ context: StageContext) {
        self.watch = watch
        log = context.log
        // The same seed in all lanes, so that an exchange gets the same numbers in each of them.
        surroundings = RuleRun.Surroundings(
            seed: context.seed &- UInt64(truncatingIfNeeded: context.lane),
            clock: context.clock
        )
        version = watch.currentVersion(log: context.log)
        set = watch.set
    }

    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict {
        renew()
        guard !set.onRequest.isEmpty else { return .proceed }
        var progress = RuleProgress(set: set)
        var run = RuleRun(surroundings)
        run.request(&exchange, &progress)
        if progress.isNeeded { context.states.keep(progress, of: self) }
        context.throttle.apply(run.throttle)
        return run.countedVerdict()
    }

    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) throws -> Verdict {
        let progress = context.states.value(of: self, as: RuleProgress.self)
        guard progress != nil || !set.onResponse.isEmpty else { return .proceed }
        var run = RuleRun(surroundings)
        run.response(&exchange, progress ?? RuleProgress(set: set))
        context.throttle.apply(run.throttle)
        return run.countedVerdict()
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

    /// Takes over the rules of a changed file.
    private func renew() {
        let current = watch.currentVersion(log: log)
        guard current != version else { return }
        version = current
        set = watch.set
    }
}

/// The configured stage `rules`.
struct RulesStageFactory: BodyReadingFactory, RuleFileFactory {
    private let loader: RuleFileLoader
    private let watch: RuleFileWatch

    init(
        _ set: RuleSet,
        _ loader: RuleFileLoader,
        now: @escaping @Sendable () -> Int64 = { SteadyClock.microseconds }
    ) {
        self.loader = loader
        watch = RuleFileWatch(set, loader, now: now)
    }

    /// Both, since a changed file may have rules for either.
    var hooks: Hooks { [.request, .response] }
    var bodyReadingHooks: Hooks { [.request, .response] }

    var ruleFile: String { loader.path }

    func makeStage(_ context: StageContext) throws -> any Stage { RulesStage(watch, context) }

    /// The hits of each rule, and the changes of the file.
    var metrics: [Metric] {
        var metrics: [Metric] = []
        for (name, hits) in loader.counters.all {
            metrics.append(Metric("hits", of: name, count: hits.count))
            metrics.append(Metric("bodies not replaced", of: name, count: hits.cutBodyCount))
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
