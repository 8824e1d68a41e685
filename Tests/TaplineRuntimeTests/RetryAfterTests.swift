// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineRuntime

@Suite("A receiver that asks for time")
struct RetryAfterTests {
    @Test("gets it before the retry, unless the sink's own pause is longer or the run ends")
    func waits() {
        var talk = SinkQueueConversation()
        for event in [QueueEvent.submit(10), .next, .selected(10), .next] { _ = talk(event) }
        let long = SinkError(.passing, "busy", retryAfter: Microseconds(7_000_000))
        _ = talk.machine.writeFailed(long, now: 0)
        #expect(talk(.next).hasPrefix("sleep until 7000"))
        talk.milliseconds = 7000
        #expect(talk(.next).hasPrefix("write 0..<10"))
        let short = SinkError(.passing, "busy", retryAfter: Microseconds(1))
        _ = talk.machine.writeFailed(short, now: 7_000_000)
        #expect(talk(.next).hasPrefix("sleep until 7100"))
        talk.milliseconds = 7100
        #expect(talk(.next).hasPrefix("write 0..<10"))
        let endless = SinkError(.passing, "busy", retryAfter: Microseconds(.max))
        _ = talk.machine.writeFailed(endless, now: 7_100_000)
        #expect(talk(.next).hasPrefix("sleep until"))
        _ = talk(.abandon)
        #expect(talk(.next).hasPrefix("end"))
    }
}
