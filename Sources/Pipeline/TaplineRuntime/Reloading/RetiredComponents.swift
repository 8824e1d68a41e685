// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplinePlugin

/// What reloads have removed from a running pipeline, until it has ended.
struct RetiredComponents {
    /// A sink that no new exchange reaches.
    struct Sink {
        let runner: SinkRunner
        /// The time at which its queue was closed; `nil` while records may come.
        var closed: DispatchTime?
    }

    /// Sources that drain.
    var sources: [SourceRunner] = []
    var sinks: [Sink] = []
    /// The figures of ended sinks, by id.
    var ended: [String: SinkState] = [:]
    /// Whether a task looks after them.
    var isWatched = false

    /// Whether nothing is left to wait for.
    var isEmpty: Bool { sources.isEmpty && sinks.isEmpty }
}

/// The stages whose secrets the log must not show: those of the current generation and the one
/// before it.
final class LoggedStages: Sendable {
    private let stages: Mutex<[[Topology.Stage]]>

    init(_ first: [Topology.Stage]) { stages = Mutex([first]) }

    /// All stages, those of the newest generation first.
    var all: [Topology.Stage] {
        let generations = stages.withLock { $0 }
        guard generations.count > 1 else { return generations.first ?? [] }
        let newest = generations[0]
        return newest
            + generations[1].filter { old in
                !newest.contains { $0.identity === old.identity }
            }
    }

    func add(_ newest: [Topology.Stage]) {
        stages.withLock { $0 = [newest] + $0.prefix(1) }
    }
}
