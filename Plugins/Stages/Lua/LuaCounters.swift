// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin
internal import TaplineStatistics

/// The counters of one lane's script, by hook.
final class LuaCounters: Sendable {
    /// The kinds of counters.
    enum Kind: Int, CaseIterable {
        case calls, errors, instructions, time, memory, table

        var name: String {
            switch self {
            case .calls: "calls"
            case .errors: "errors"
            case .instructions: "instruction limit hits"
            case .time: "time limit hits"
            case .memory: "memory limit hits"
            case .table: "table limit hits"
            }
        }
    }

    /// The hooks, in the order of C's numbers.
    static let hooks = ["request", "response", "record", "message", "start", "stop"]

    private let bank = CounterBank(count: Kind.allCases.count * hooks.count)
    private let times = hooks.map { _ in DurationHistogram() }

    /// Counts a call of a hook, and its duration if it was measured.
    @inline(__always)
    func count(hook: Int, nanoseconds: Int64) {
        bank.add(to: hook * Kind.allCases.count)
        if nanoseconds >= 0 { add(nanoseconds, hook: hook) }
    }

    private func add(_ nanoseconds: Int64, hook: Int) {
        guard times.indices.contains(hook) else { return }
        times[hook].add(nanoseconds: Int(nanoseconds))
    }

    /// Counts a failure, and the limit that caused it if any.
    func count(_ error: ScriptError, hook: Int) {
        let first = hook * Kind.allCases.count
        bank.add(to: first + Kind.errors.rawValue)
        switch error.code {
        case .instructions: bank.add(to: first + Kind.instructions.rawValue)
        case .time: bank.add(to: first + Kind.time.rawValue)
        case .memory: bank.add(to: first + Kind.memory.rawValue)
        case .table: bank.add(to: first + Kind.table.rawValue)
        default: break
        }
    }

    /// The combined counts of several lanes; `script` is the name shown to the reader.
    static func metrics(_ lanes: [LuaCounters], script: String) -> [Metric] {
        let counts = CounterBank.sum(lanes.map(\.bank))
        var metrics: [Metric] = []
        for (hook, name) in hooks.enumerated() {
            let subject = "\(script) \(name)"
            for kind in Kind.allCases {
                let index = hook * Kind.allCases.count + kind.rawValue
                guard counts.indices.contains(index) else { continue }
                metrics.append(Metric(kind.name, of: subject, count: counts[index]))
            }
            let times = lanes.map { $0.times[hook].distribution }
            let all = times.reduce(DurationDistribution(), +)
            metrics.append(Metric("time", of: subject, durations: all))
        }
        return metrics
    }
}

/// The state shared by the lanes of one component.
///
/// **Isolation**: any thread.
final class LuaShared: Sendable {
    private struct State {
        var counters: [LuaCounters] = []
        var coverage: [String: [Int: Int]] = [:]
    }

    /// Limits what scripts may write to the log.
    let logLimit: LogLimit
    private let state = Mutex(State())

    init(logLinesASecond: Int) {
        logLimit = LogLimit(linesASecond: logLinesASecond)
    }

    /// Creates the counters of a new lane.
    func makeCounters() -> LuaCounters {
        let counters = LuaCounters()
        state.withLock { $0.counters.append(counters) }
        return counters
    }

    /// The counters of all lanes.
    var counters: [LuaCounters] { state.withLock { $0.counters } }

    /// Adds the line counts of a lane that has ended.
    func add(_ coverage: [ScriptCoverage]) {
        state.withLock { state in
            for script in coverage {
                state.coverage[script.file, default: [:]].merge(script.lines) { $0 &+ $1 }
            }
        }
    }

    /// The line counts of all lanes that have ended.
    var coverage: [ScriptCoverage] {
        state.withLock { state in
            state.coverage.sorted { $0.key < $1.key }.map {
                ScriptCoverage(file: $0.key, lines: $0.value)
            }
        }
    }
}
