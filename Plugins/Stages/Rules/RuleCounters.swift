// SPDX-License-Identifier: MIT

internal import Synchronization

/// How often a rule has acted, over all lanes and all versions of its file.
///
/// **Isolation**: any thread.
final class RuleHits: Sendable {
    private let hits = Atomic<Int>(0)
    private let cutBodies = Atomic<Int>(0)
    private let pauses = Atomic<Int>(0)
    private let passedPauses = Atomic<Int>(0)

    /// Counts an exchange that the rule acts on.
    func add() { hits.add(1, ordering: .relaxed) }

    /// Counts a body that was not replaced, since it was not available as a whole.
    func addCutBody() { cutBodies.add(1, ordering: .relaxed) }

    /// Counts an exchange that the rule has paused, and whether it passed without a decision.
    func addPause(isDecided: Bool) {
        pauses.add(1, ordering: .relaxed)
        if !isDecided { passedPauses.add(1, ordering: .relaxed) }
    }

    /// The number of exchanges that the rule has paused, and of those that passed undecided.
    var pauseCounts: (all: Int, passed: Int) {
        (pauses.load(ordering: .relaxed), passedPauses.load(ordering: .relaxed))
    }

    /// The number of exchanges.
    var count: Int { hits.load(ordering: .relaxed) }

    /// The number of bodies that were not replaced.
    var cutBodyCount: Int { cutBodies.load(ordering: .relaxed) }
}

/// The hits of all rules of a file by the rules' names; they survive changes of the file.
///
/// **Isolation**: any thread.
final class RuleCounters: Sendable {
    private struct Entry {
        let name: String
        let hits: RuleHits
    }

    private let entries = Mutex<[Entry]>([])

    /// Returns the hits of the rule with a name, creating them if needed.
    func hits(of name: String) -> RuleHits {
        entries.withLock { entries in
            if let known = entries.first(where: { $0.name == name }) { return known.hits }
            let hits = RuleHits()
            entries.append(Entry(name: name, hits: hits))
            return hits
        }
    }

    /// The names with their hits, in the order in which they first appeared.
    var all: [(name: String, hits: RuleHits)] {
        entries.withLock { $0.map { ($0.name, $0.hits) } }
    }
}
