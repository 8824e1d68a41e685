// SPDX-License-Identifier: MIT

internal import RulesStage
internal import Synchronization
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// Rules that are tried on stored exchanges, a slice at a time.
///
/// **Limits**: the last eight are kept.
/// **Isolation**: any thread.
final class RuleTrials: Sendable {
    private struct State {
        var trials: [(key: String, trial: RuleTrial)] = []
        var count = 0
    }

    private static let limit = 8

    private let state = Mutex(State())

    /// Keeps a trial; returns its key.
    func add(_ trial: RuleTrial) -> String {
        state.withLock { state in
            state.count += 1
            let key = "try-\(state.count)"
            state.trials.append((key, trial))
            if state.trials.count > Self.limit { state.trials.removeFirst() }
            return key
        }
    }

    /// Returns the trial with a key; `nil` if it is no longer kept.
    func trial(_ key: String) -> RuleTrial? {
        state.withLock { $0.trials.first { $0.key == key }?.trial }
    }

    func remove(_ key: String) {
        state.withLock { $0.trials.removeAll { $0.key == key } }
    }
}

/// One set of rules that is tried on the exchanges of a filter, the newest first.
///
/// Nothing is sent or written, and delays are not waited for.
///
/// **Isolation**: any thread, one at a time.
final class RuleTrial: Sendable {
    /// An exchange as it was, and as it would have been.
    struct Example: Sendable {
        let stored: StoredExchange
        let evaluation: RuleEvaluation
    }

    /// What was found for one rule.
    struct Outcome: Sendable {
        var hits = 0
        var examples: [Example] = []
    }

    /// What was found so far.
    struct Report: Sendable {
        var seen = 0
        var total: Int?
        var isComplete = false
        /// The outcomes by the positions of rules in the file.
        var outcomes: [Int: Outcome] = [:]
    }

    private struct State {
        var report = Report()
        var after: StoreKey?
        /// How long a slice takes, in microseconds.
        var patience: Int64 = 700_000
    }

    private struct SliceEnded: Error {}

    private static let maxExamples = 3
    /// How long a slice takes at most if its filter finds nothing, in microseconds.
    private static let maxPatience: Int64 = 10_000_000

    let rules: [RuleFileReport.Rule]
    private let set: RuleSet
    private let filter: Filter?
    private let limit: Int
    private let state = Mutex(State())

    init(_ set: RuleSet, _ rules: [RuleFileReport.Rule], _ filter: Filter?, limit: Int) {
        self.set = set
        self.rules = rules
        self.filter = filter
        self.limit = limit
    }

    /// Tries the rules on further exchanges for less than a second, or longer if none are found.
    func go(on stores: StoreSet, total: Int?, _ progress: QueryProgress) throws -> Report {
        try state.withLock { state in
            if state.report.isComplete { return state.report }
            state.report.total = filter == nil ? total : nil
            let end = SteadyClock.microseconds + state.patience
            let before = state.report.seen
            do {
                try slice(&state, stores, until: end, progress)
                state.report.isComplete = true
                state.report.total = state.report.seen
            } catch is SliceEnded {
            }
            if state.report.seen == before {
                state.patience = min(state.patience * 2, Self.maxPatience)
            }
            return state.report
        }
    }

    private func slice(
        _ state: inout State,
        _ stores: StoreSet,
        until end: Int64,
        _ progress: QueryProgress
    ) throws {
        var query = StoreQuery(filter, order: .newestFirst, after: state.after)
        query.progress = progress
        try stores.forEach(query) { stored in
            guard state.report.seen < limit else { return }
            if SteadyClock.microseconds > end { throw SliceEnded() }
            state.report.seen += 1
            state.after = stored.key
            let evaluation = set.evaluate(stored.exchange)
            for hit in evaluation.hits {
                var outcome = state.report.outcomes[hit.position] ?? Outcome()
                outcome.hits += 1
                if outcome.examples.count < Self.maxExamples {
                    outcome.examples.append(Example(stored: stored, evaluation: evaluation))
                }
                state.report.outcomes[hit.position] = outcome
            }
        }
    }
}
