// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import TaplineRuntime

@Suite("Readiness of a starting pipeline")
struct StartProgressTests {
    /// Reports the events of a start; returns how often it was ready after each.
    private func counts(_ live: [String], _ events: [String]) -> [Int] {
        let counter = CallCount()
        let progress = StartProgress(live) { counter.add() }
        return events.map { event in
            if event == "sinks" { progress.sinksOpened() } else { progress.isUp(event) }
            return counter.value
        }
    }

    @Test("needs open sinks and all live sources, and is reported once")
    func all() {
        #expect(counts(["a", "b"], ["sinks", "a", "b", "b"]) == [0, 0, 1, 1])
        #expect(counts(["a"], ["a", "sinks"]) == [0, 1])
        #expect(counts([], ["sinks", "sinks"]) == [1, 1])
        #expect(counts(["a"], ["sinks", "other"]) == [0, 0])
    }
}

/// A number that a closure increments.
private final class CallCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
