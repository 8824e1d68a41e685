// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineProcessPlugin

@Suite("Who reads the answers of a plugin's process")
struct AnswerReadersTests {
    private typealias Readers = AnswerReaders<String, String>

    static let playbooks = [
        Playbook(
            "a caller reads until it has its answer, and then the one that has waited longest",
            """
            open one → nobody
            call 1 → reads one
            call 2 → waits
            call 3 → waits
            leave 1 → 2 reads one
            call 4 → waits
            leave 2 → 3 reads one
            leave 4 → nobody
            leave 3 → nobody
            call 5 → reads one
            """
        ),
        Playbook(
            "a caller whose answer another one has read is not asked to read",
            """
            open one → nobody
            call 1 → reads one
            call 2 → waits
            leave 2 → nobody
            leave 1 → nobody
            thread → idle
            """
        ),
        Playbook(
            "callers wait until a child has said hello, and for the next one if it ends",
            """
            thread → reads
            call 1 → waits
            call 2 → waits
            open one → 1 reads one
            thread → idle
            close → 1 waits
            thread → reads
            call 3 → waits
            leave 2 → nobody
            open two → 1 reads two
            leave 1 → 3 reads two
            leave 3 → nobody
            close → nobody
            call 4 → waits
            """
        ),
        Playbook(
            "the thread reads from the first call on that nobody waits for, also the next child",
            """
            open one → nobody
            call 1 → reads one
            call 2 → waits
            unawaited → thread begins
            thread → reads
            unawaited → nothing
            call 3 → waits
            leave 1 → nobody
            close → nobody
            open two → nobody
            call 4 → waits
            thread → reads
            """
        ),
        Playbook(
            "a call that nobody waits for changes nothing while the thread reads",
            """
            unawaited → nothing
            open one → nobody
            thread → reads
            call 1 → waits
            leave 1 → nobody
            """
        ),
        Playbook(
            "the thread that waits for calls is told to read",
            """
            open one → nobody
            unawaited → thread begins
            close → nobody
            """
        ),
        Playbook(
            "an event out of turn changes nothing",
            """
            close → nobody
            leave 1 → nobody
            open one → nobody
            open two → nobody
            leave 1 → nobody
            call 1 → reads one
            open two → nobody
            call 2 → waits
            leave 1 → 2 reads one
            """
        ),
    ]

    @Test("turns", arguments: playbooks)
    func plays(_ book: Playbook) {
        var readers = Readers()
        for (event, expected) in book.lines {
            let found = Self.play(event, &readers)
            #expect(found == expected, "\(book): \(event)")
        }
    }

    @Test("the thread always reads a source")
    func source() {
        var readers = Readers(onlyThread: true)
        let found = ["thread", "open one", "thread", "close", "thread"].map {
            Self.play($0, &readers)
        }
        #expect(found == ["reads", "nobody", "reads", "nobody", "reads"])
    }

    private static func play(_ event: String, _ readers: inout Readers) -> String {
        let words = event.split(separator: " ").map(String.init)
        let number = words.dropFirst().first.flatMap { UInt64($0) } ?? 0
        switch words[0] {
        case "open": return text(readers.opened(words[1]))
        case "close": return readers.closed().map { "\($0.caller) waits" } ?? "nobody"
        case "call": return readers.called(number, words[1]).map { "reads \($0)" } ?? "waits"
        case "unawaited": return readers.calledUnawaited() ? "thread begins" : "nothing"
        case "leave": return text(readers.left(number))
        case "thread": return readers.needThread ? "reads" : "idle"
        default: return "?"
        }
    }

    private static func text(_ reader: Readers.Reader?) -> String {
        reader.map { "\($0.caller) reads \($0.output)" } ?? "nobody"
    }
}
