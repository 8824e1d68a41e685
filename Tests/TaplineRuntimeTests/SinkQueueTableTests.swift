// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineRuntime

/// Every event in every state.
///
/// `Fixtures/sink-queue-states.txt` has the name and description of each state, followed by its
/// events. Each event is listed with its effects and with the new state if that differs.
@Suite("Every event in every state of a sink's queue")
struct SinkQueueTableTests {
    /// The name of each state, and the events that lead to it.
    private static let states: [(String, [(Int64, QueueEvent)])] = {
        let selecting: [(Int64, QueueEvent)] = [(0, .submit(10)), (0, .next)]
        let writing = selecting + [(0, .selected(10)), (0, .next)]
        let failing = writing + [(1, .writeFailed(.passing))]
        let staged = writing + [(1, .submit(20, live: true)), (1, .submit(10, live: true))]
        let stored = staged + [(1, .takeStaged), (1, .spilled())]
        let write: [(Int64, QueueEvent)] = [
            (1, .next), (1, .selected(10)), (1, .next), (1, .wrote()),
        ]
        let awaited: [(Int64, QueueEvent)] = [(0, .submitAwaited(10))] + write
        let restarting = awaited + [(1, .next), (2, .flushFailed)]
        let opening = restarting + [(60, .next)]
        return [
            ("asleep", [(0, .next)]),
            ("filling", [(0, .submit(1)), (0, .next)]),
            ("selecting", selecting),
            ("writing", writing),
            ("hanging", writing + [(5000, .looked)]),
            ("failing", failing),
            ("degraded", writing + [(5000, .looked), (30_000, .looked)]),
            ("splitting", writing + [(1, .writeFailed(.refused))]),
            ("noting", [(0, .opened), (0, .next), (50, .next)]),
            ("flushing", [(0, .flush), (0, .next)]),
            ("reopening", [(0, .reopen), (0, .next)]),
            ("reopening with a batch", failing + [(2, .reopen), (2, .next)]),
            ("staged", staged),
            ("moving", staged + [(1, .takeStaged)]),
            ("stored", stored),
            ("spill full", staged + [(1, .takeStaged), (1, .spillFailed)]),
            (
                "reading",
                stored + [
                    (2, .wrote()), (2, .next), (2, .selected(20)), (2, .next), (2, .wrote()),
                    (2, .next),
                ]
            ),
            ("closing", writing + [(1, .submit(3)), (1, .close)]),
            ("ended", [(0, .close), (0, .next)]),
            ("not opened", [(0, .notOpened)]),
            ("reader gone", writing + [(1, .writeFailed(.closed))]),
            ("abandoned", writing + [(1, .abandon)]),
            ("written, awaited", awaited),
            ("flushing, awaited", awaited + [(1, .next)]),
            ("restarting, awaited", restarting),
            ("opening again, awaited", opening),
            ("opened again, awaited", opening + [(61, .restarted)]),
            ("writing again", opening + [(61, .restarted)] + write.dropLast()),
        ]
    }()

    /// The states of a queue on disk.
    private static let diskStates: [(String, [(Int64, QueueEvent)])] = {
        let kept: [(Int64, QueueEvent)] = [(0, .submit(10))]
        let onDisk = kept + [(0, .takeStaged), (0, .diskWrote)]
        let write: [(Int64, QueueEvent)] = [
            (1, .next), (1, .selected(10)), (1, .next), (1, .wrote()),
        ]
        let flushing = onDisk + write + [(1, .next)]
        let more: [(Int64, QueueEvent)] = [
            (0, .submit(10, live: true)), (0, .takeStaged), (0, .diskWrote),
        ]
        let reading = onDisk + more + more + write + write + [(2, .next)]
        let restarting = flushing + [(2, .flushFailed)]
        let opening = restarting + [(60, .next)]
        // Ten records are halved until one is refused alone.
        let refused: [(Int64, QueueEvent)] = [(2, .next), (2, .writeFailed(.refused))]
        let isOne = onDisk + write.dropLast() + refused.dropFirst() + refused + refused + refused
        let settingAside = isOne + [(2, .next)]
        return [
            ("kept", kept),
            ("moving to disk", kept + [(0, .takeStaged)]),
            ("on disk", onDisk),
            ("reading from disk", reading),
            ("unreadable", reading + [(3, .readFailed)]),
            ("flushing to commit", flushing),
            ("restarting", restarting),
            ("opening again", opening),
            ("not opened again", opening + [(61, .restartFailed)]),
            ("opened again", opening + [(61, .restarted)]),
            ("closing while restarting", restarting + [(3, .close)]),
            ("disk full", kept + [(0, .takeStaged), (0, .spillFailed)]),
            ("leaving while writing", onDisk + write.dropLast() + [(2, .leave)]),
            (
                "leaving with a batch",
                onDisk + write.dropLast() + [(2, .writeFailed(.passing)), (2, .leave)]
            ),
            ("leaving after a write", onDisk + write + [(2, .leave)]),
            ("leaving before the disk has all", kept + [(0, .takeStaged), (0, .leave)]),
            ("leaving while restarting", restarting + [(3, .leave)]),
            ("handed over", onDisk + [(0, .leave), (0, .next)]),
            ("setting aside", settingAside),
            ("held until it is set aside", settingAside + [(3, .setAsideFailed)]),
        ]
    }()

    private static let events: [(String, QueueEvent)] =
        common + [
            ("spilled", .spilled()), ("spill fails", .spillFailed), ("read back 5", .readBack(5)),
            ("submit 10 awaited", .submitAwaited(10)),
        ]

    private static let diskEvents: [(String, QueueEvent)] =
        common + [
            ("disk wrote", .diskWrote), ("disk read 5", .diskRead(5)), ("read fails", .readFailed),
            ("disk dropped 3", .diskDropped(3)), ("disk fails", .spillFailed),
            ("set aside", .setAside), ("setting aside fails", .setAsideFailed), ("leave", .leave),
        ]

    private static let common: [(String, QueueEvent)] = [
        ("submit 10", .submit(10)), ("submit 10 live", .submit(10, live: true)),
        ("opened", .opened), ("ended", .ended), ("close", .close), ("flush", .flush),
        ("reopen", .reopen), ("abandon", .abandon), ("next", .next), ("selected 8", .selected(8)),
        ("wrote", .wrote()), ("write fails", .writeFailed(.passing)),
        ("write is refused", .writeFailed(.refused)), ("reader has gone", .writeFailed(.closed)),
        ("noted", .noted), ("note fails", .noteFailed), ("flushed", .flushed),
        ("flush fails", .flushFailed), ("reopened", .reopened), ("reopen fails", .reopenFailed),
        ("looked", .looked), ("take staged", .takeStaged), ("restarted", .restarted),
        ("restart fails", .restartFailed), ("disk pause ended", .diskPauseEnded),
    ]

    /// The current table.
    private static var table: String {
        table(states, events) { SinkQueueConversation() }
            + table(diskStates, diskEvents) { .onDisk(deadLetters: "refused") }
    }

    private static func table(
        _ states: [(String, [(Int64, QueueEvent)])],
        _ events: [(String, QueueEvent)],
        _ begin: () -> SinkQueueConversation
    ) -> String {
        var lines: [String] = []
        for (name, script) in states {
            var impossible: [String] = []
            var rows: [String] = []
            var title = name
            for (event, what) in events {
                var talk = begin()
                for (time, step) in script {
                    talk.milliseconds = time
                    _ = talk(step)
                }
                let before = talk.state
                title = "\(name): \(before)"
                let answer = talk(what)
                if answer == "cannot happen" {
                    impossible.append(event)
                } else {
                    let after = talk.state == before ? "" : " => \(talk.state)"
                    rows.append("  \(event): \(answer)\(after)")
                }
            }
            lines += [title] + rows
            for start in stride(from: 0, to: impossible.count, by: 6) {
                let some = impossible[start..<min(start + 6, impossible.count)]
                lines.append("  cannot happen: \(some.joined(separator: ", "))")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    @Test("matches the committed table")
    func wholeTable() throws {
        try CommittedText.compare(Self.table, with: "sink-queue-states.txt")
    }

    @Test("counters balance and order is kept for random events", arguments: 0..<40)
    func anything(seed: Int) {
        var random = Random(seed: UInt64(seed))
        let overflows: [QueueOptions.Overflow] = [.block, .block, .dropNewest, .dropOldest]
        let overflow = overflows.randomElement(using: &random) ?? .block
        let isOnDisk = seed % 2 == 1
        var talk = isOnDisk ? .onDisk(overflow) : SinkQueueConversation(overflow: overflow)
        let events = isOnDisk ? Self.diskEvents : Self.events
        for _ in 0..<400 {
            talk.milliseconds += Int64.random(in: 0...400, using: &random)
            guard let (_, event) = events.randomElement(using: &random) else { continue }
            // The pipeline waits for a long time.
            if case .abandon = event, Int.random(in: 0..<50, using: &random) > 0 { continue }
            if case .close = event, Int.random(in: 0..<20, using: &random) > 0 { continue }
            if case .leave = event, Int.random(in: 0..<20, using: &random) > 0 { continue }
            switch (event, talk.machine.phase) {
            case (.selected, .selecting(let count)):
                _ = talk(.selected(Int.random(in: 0...count, using: &random)))
            case (.readBack, _):
                _ = talk(.readBack(min(5, talk.machine.contents.stored)))
            case (.diskRead, _):
                _ = talk(.diskRead(min(5, talk.machine.contents.stored)))
            default: _ = talk(event)
            }
            let counters = talk.machine.counters
            #expect(counters.received == counters.accounted, "after \(event): \(counters)")
        }
    }
}
