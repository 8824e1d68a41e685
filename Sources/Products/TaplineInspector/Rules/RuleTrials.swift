// SPDX-License-Identifier: MIT

internal import RulesStage
internal import Synchronization
internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// Rules that are tried on stored exchanges, a slice at a time.
///
/// **Limits**: the last eight are kept, each for a minute after its last use.
/// **Isolation**: any thread.
final class RuleTrials: Sendable {
    private struct State {
        var trials: [Kept] = []
        var count = 0
    }

    private struct Kept {
        let key: String
        let trial: RuleTrial
        /// When it was used last, in microseconds of the steady clock.
        var used: Int64
    }

    private static let limit = 8
    /// How long a trial is kept that nobody uses, in microseconds.
    private static let maxAge: Int64 = 60_000_000

    private let state = Mutex(State())

    /// Keeps a trial; returns its key.
    func add(_ trial: RuleTrial) -> String {
        state.withLock { state in
            state.count += 1
            let key = "try-\(state.count)"
            let now = SteadyClock.microseconds
            state.trials.append(Kept(key: key, trial: trial, used: now))
            if state.trials.count > Self.limit { state.trials.removeFirst() }
            return key
        }
    }

    /// Returns the trial with a key; `nil` if it is no longer kept.
    func trial(_ key: String) -> RuleTrial? {
        state.withLock { state in
            guard let index = state.trials.firstIndex(where: { $0.key == key }) else { return nil }
            state.trials[index].used = SteadyClock.microseconds
            return state.trials[index].trial
        }
    }

    /// Removes the trials that nobody has used for a minute.
    func removeForgotten() {
        let oldest = SteadyClock.microseconds - Self.maxAge
        state.withLock { $0.trials.removeAll { $0.used < oldest } }
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
    /// An exchange as it was, and as it would have been; only what is shown of it is kept.
    struct Example: Sendable {
        let json: [UInt8]

        fileprivate init(_ stored: StoredExchange, _ evaluation: RuleEvaluation) {
            var json = JSONWriter()
            json.example(stored, evaluation)
            self.json = Array(copying: json.bytes)
        }
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
    }

    /// Ends the scan of a slice.
    private struct SliceEnded: Error {
        let isComplete: Bool
    }

    private static let maxExamples = 3
    /// After how long a slice ends with the next exchange, in microseconds.
    private static let patience: Int64 = 700_000

    let rules: [RuleFileReport.Rule]
    /// The number of the generation whose exchanges are tried.
    let generation: Int
    private let set: RuleSet
    private let filter: Filter?
    private let limit: Int
    private let state = Mutex(State())

    init(
        _ set: RuleSet,
        _ rules: [RuleFileReport.Rule],
        _ filter: Filter?,
        limit: Int,
        of generation: Int
    ) {
        self.generation = generation
        self.set = set
        self.rules = rules
        self.filter = filter
        self.limit = limit
    }

    /// Tries the rules on further exchanges for less than a second, or until one is found.
    ///
    /// - Throws: `APIError` if another call tries them at the moment, or the error of the stores.
    func go(on stores: StoreSet, total: Int, _ progress: QueryProgress) throws -> Report {
        let report = try state.withLockIfAvailable { state -> Report in
            if state.report.isComplete { return state.report }
            state.report.total = filter == nil ? total : nil
            let end = SteadyClock.microseconds + Self.patience
            do {
                try slice(&state, stores, until: end, progress)
                state.report.isComplete = true
            } catch let ended as SliceEnded {
                state.report.isComplete = ended.isComplete
            }
            if state.report.isComplete { state.report.total = state.report.seen }
            return state.report
        }
        guard let report else { throw APIError(409, "busy", "this trial is already running") }
        return report
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
            // First what was found is counted, so that each slice proceeds.
            state.report.seen += 1
            state.after = stored.key
            let evaluation = set.evaluate(stored.exchange)
            for hit in evaluation.hits {
                var outcome = state.report.outcomes[hit.position] ?? Outcome()
                outcome.hits += 1
                if outcome.examples.count < Self.maxExamples {
                    outcome.examples.append(Example(stored, evaluation))
                }
                state.report.outcomes[hit.position] = outcome
            }
            if state.report.seen >= limit { throw SliceEnded(isComplete: true) }
            if SteadyClock.microseconds > end { throw SliceEnded(isComplete: false) }
        }
    }
}
