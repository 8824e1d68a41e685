// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineRuntime

/// Expects each answer of a conversation, in order; a number is a time in milliseconds.
private func expect(
    _ talk: inout SinkQueueConversation,
    _ lines: [(Int64, QueueEvent, String)],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for (number, (time, event, expected)) in lines.enumerated() {
        talk.milliseconds = time
        let answer = talk(event)
        #expect(answer == expected, "line \(number + 1), \(event)", sourceLocation: sourceLocation)
    }
}

@Suite("Conversations of a sink's queue")
struct SinkQueuePlaybookTests {
    @Test("a full queue makes a recording wait, until half of it is free")
    func fullQueue() {
        var talk = SinkQueueConversation()
        expect(&talk, [
            (0, .next, "sleep"),
            (0, .submit(10), "wake"),
            (0, .submit(10), "paused"),
            (1, .next, "select 10"),
            (1, .selected(10), "-"),
            (1, .next, "write 0..<10; look at 5001"),
            (9, .wrote(), "call 1 back"),
            (9, .submit(10), "paused"),
            (9, .next, "select 10"),
        ])
        #expect(talk.state == "selecting 10, 10 queued")
        #expect(talk.machine.counters.queued == 20)
    }
}
