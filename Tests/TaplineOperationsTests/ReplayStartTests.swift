// SPDX-License-Identifier: MIT

import Synchronization
import TaplineOperations
import Testing

@Suite struct ReplayStartTests {
    /// What sources were told, in order: their name and the time.
    private final class Begun: Sendable {
        let all = Mutex<[String]>([])

        func note(_ name: String) -> ReplayStart.Begin {
            { [self] time in
                all.withLock { $0.append(time.map { "\(name) at \($0)" } ?? "\(name) now") }
            }
        }

        var list: [String] { all.withLock { $0 } }
    }

    private let begun = Begun()

    @Test("all begin at one time, when the last one has arrived")
    func together() {
        let start = ReplayStart(of: ["a", "b"])
        start.arrive("a", now: 5, begun.note("a"))
        #expect(begun.list.isEmpty)
        start.arrive("b", now: 70, begun.note("b"))
        #expect(begun.list == ["a at 10070", "b at 10070"])
    }

    @Test("a source that ends before it arrives is not waited for")
    func ended() {
        let start = ReplayStart(of: ["a", "b"])
        start.arrive("a", now: 5, begun.note("a"))
        start.leave("b")
        start.leave("b")
        #expect(begun.list == ["a now"])
    }

    @Test("a source that ends after the start changes nothing")
    func endsLater() {
        let start = ReplayStart(of: ["a", "b"])
        start.arrive("a", now: 5, begun.note("a"))
        start.leave("other")
        #expect(begun.list.isEmpty)
        start.arrive("b", now: 6, begun.note("b"))
        start.leave("a")
        #expect(begun.list.count == 2)
    }
}
