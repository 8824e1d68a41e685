// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCommand

@Suite("The batches between a writer and its thread")
struct BatchQueueTests {
    struct Failure: Error {}

    /// What the thread does next, as text.
    private static func step(_ queue: inout BatchQueue<Int>) -> String {
        switch queue.next() {
        case .wait: "wait"
        case .write(let batch): "write \(batch)"
        case .finish: "finish"
        case .abandon: "abandon"
        }
    }

    enum Event: Sendable { case added, finished, abandoned, ended, failed }

    private static func apply(_ event: Event, to queue: inout BatchQueue<Int>) -> String? {
        switch event {
        case .added:
            do { try queue.added(2) } catch { return "error" }
        case .finished: queue.finished()
        case .abandoned: queue.abandoned()
        case .ended: queue.ended(nil)
        case .failed: queue.ended(Failure())
        }
        return nil
    }

    struct Row: Sendable {
        let before: [Event]
        let event: Event
        let steps: [String]

        init(_ before: [Event], _ event: Event, _ steps: [String]) {
            self.before = before
            self.event = event
            self.steps = steps
        }
    }

    /// Batch 1 waits at the start of each row, and the thread then asks for steps.
    static let rows: [Row] = [
        Row([], .added, ["write 1", "write 2", "wait"]),
        Row([], .finished, ["write 1", "finish", "finish"]),
        Row([], .abandoned, ["abandon"]),
        Row([], .ended, ["abandon"]),
        Row([], .failed, ["abandon", "error"]),
        Row([.finished], .added, ["write 1", "finish"]),
        Row([.finished], .finished, ["write 1", "finish"]),
        Row([.finished], .abandoned, ["abandon"]),
        Row([.finished], .ended, ["abandon"]),
        Row([.finished], .failed, ["abandon", "error"]),
        Row([.abandoned], .added, ["abandon"]),
        Row([.abandoned], .finished, ["abandon"]),
        Row([.abandoned], .abandoned, ["abandon"]),
        Row([.abandoned], .ended, ["abandon"]),
        Row([.abandoned], .failed, ["abandon", "error"]),
        Row([.ended], .added, ["abandon"]),
        Row([.ended], .finished, ["abandon"]),
        Row([.ended], .abandoned, ["abandon"]),
        Row([.ended], .ended, ["abandon"]),
        Row([.ended], .failed, ["abandon"]),
        Row([.failed], .added, ["refused", "abandon", "error"]),
        Row([.failed], .finished, ["abandon", "error"]),
        Row([.failed], .abandoned, ["abandon", "error"]),
        Row([.failed], .ended, ["abandon", "error"]),
        Row([.failed], .failed, ["abandon", "error"]),
    ]

    @Test("each state answers each event", arguments: rows)
    func table(row: Row) throws {
        var queue = BatchQueue<Int>()
        try queue.added(1)
        for event in row.before { _ = Self.apply(event, to: &queue) }
        var steps: [String] = []
        if Self.apply(row.event, to: &queue) != nil { steps.append("refused") }
        while steps.count < row.steps.count {
            if row.steps[steps.count] == "error" {
                steps.append(queue.error is Failure ? "error" : "no error")
            } else {
                steps.append(Self.step(&queue))
            }
        }
        #expect(steps == row.steps)
        #expect((queue.error != nil) == row.steps.contains("error"))
    }
}
