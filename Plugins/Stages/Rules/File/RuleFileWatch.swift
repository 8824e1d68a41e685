// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineSystem

/// Detects changes of the file of rules, or of a file that a rule answers with, and reads it again.
///
/// The first lane that is about to run a hook checks the file times, at most four times a second.
/// Other lanes do not wait, and nothing runs without exchanges.
///
/// **Isolation**: any thread.
final class RuleFileWatch: Sendable {
    private struct State {
        var set: RuleSet
        /// The watched files, without those that currently do not exist.
        var stamps: [String: FileStatus]
        var reloads = 0
        var refusals = 0
    }

    /// Microseconds.
    private static let interval: Int64 = 250_000
    private let loader: RuleFileLoader
    /// The clock, in microseconds.
    private let now: @Sendable () -> Int64
    private let state: Mutex<State>
    private let looked: Atomic<Int64>
    private let version = Atomic<Int>(0)

    /// Watches the files of a set of rules.
    init(_ set: RuleSet, _ loader: RuleFileLoader, now: @escaping @Sendable () -> Int64) {
        self.loader = loader
        self.now = now
        looked = Atomic(now())
        state = Mutex(State(set: set, stamps: RuleFileWatch.stamps(set, loader)))
    }

    /// The current rules.
    var set: RuleSet { state.withLock { $0.set } }

    /// How often the rules were replaced, and how often a change was refused.
    var counts: (reloads: Int, refusals: Int) {
        state.withLock { ($0.reloads, $0.refusals) }
    }

    /// The number of the version that lanes should use; checks the files if it is time to.
    func currentVersion(log: Log) -> Int {
        let time = now()
        let last = looked.load(ordering: .relaxed)
        if time &- last >= RuleFileWatch.interval || time < last {
            let (isMine, _) = looked.compareExchange(
                expected: last,
                desired: time,
                ordering: .relaxed
            )
            if isMine { look(log) }
        }
        return version.load(ordering: .acquiring)
    }

    private func look(_ log: Log) {
        let (set, known) = state.withLock { ($0.set, $0.stamps) }
        let found = RuleFileWatch.stamps(set, loader)
        guard found != known else { return }
        // Stored first, so that a refused change is reported only once.
        state.withLock { $0.stamps = found }
        // An editor may remove the file for a moment; its return counts as a change.
        guard found[loader.path] != nil else { return }
        var diagnostics = Diagnostics()
        do throws(FileError) {
            if let new = try loader.load(into: &diagnostics) { return take(new, found, log) }
        } catch {
            diagnostics.error(at: nil, "\(error)")
        }
        state.withLock { $0.refusals += 1 }
        refuse(diagnostics, log)
    }

    private func take(_ new: RuleSet, _ found: [String: FileStatus], _ log: Log) {
        // The stamps from before reading, so that later changes are detected.
        let stamps = RuleFileWatch.stamps(new, loader).merging(found) { $1 }
            .filter { $0.key == loader.path || new.files.contains($0.key) }
        state.withLock { state in
            state.set = new
            state.stamps = stamps
            state.reloads += 1
        }
        version.add(1, ordering: .releasing)
        log.info("\(loader.path) was reloaded: \(Counted.text(new.rules.count, "rule"))")
    }

    /// Logs why a changed file is not used, one line for each problem.
    private func refuse(_ diagnostics: Diagnostics, _ log: Log) {
        let errors = diagnostics.hidingValues(of: loader.environment).sorted
            .filter { $0.severity == .error }
        for problem in errors.prefix(10) {
            let place = problem.location.map { "\($0): " } ?? ""
            let help = problem.help.map { "; \($0)" } ?? ""
            log.error("\(place)\(problem.message)\(help)")
        }
        log.error("\(loader.path) is not used; the previous rules stay in use")
    }

    /// The current status of the watched files.
    private static func stamps(_ set: RuleSet, _ loader: RuleFileLoader) -> [String: FileStatus] {
        var stamps: [String: FileStatus] = [:]
        for file in [loader.path] + set.files {
            stamps[file] = try? FileSystem.status(of: file)
        }
        return stamps
    }
}
