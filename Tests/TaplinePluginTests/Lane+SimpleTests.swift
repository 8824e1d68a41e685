// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import Testing

/// A lane with prepared answers, which notes its calls.
private final class RecordingLane: Lane {
    var calls: [String] = []
    var outcome = WireOutcome(.forward)
    var answer = SubmitResult.open
    var answeredResponse: Response?
    var finished: Exchange?
    var handOver: ((@escaping @Sendable () -> Void) -> Void)?

    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {
        calls.append("opened")
    }

    func admits(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Bool {
        calls.append(exchange.response == nil ? "admits" : "admits with response")
        return true
    }

    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        calls.append(exchange.response == nil ? "request" : "request that sees the response")
        if let answeredResponse { exchange.response = answeredResponse }
        return outcome
    }

    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        calls.append("response")
        return WireOutcome(.forward)
    }

    func wantedMessages(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Int {
        100
    }

    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome {
        calls.append("message \(message.type)")
        message.bytes += [0x21]
        return message.event == "secret" ? .drop : .pass
    }

    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool {
        calls.append("finish")
        finished = exchange
        return true
    }

    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> SubmitResult {
        calls.append("submit \(ticket.map(String.init) ?? "-")")
        handOver?(ready)
        return answer
    }

    func close() {}
}

/// Whether there is room.
private final class ReadyFlag: Sendable {
    private let state = Mutex(false)
    var isOpen: Bool { state.withLock { $0 } }
    func open() { state.withLock { $0 = true } }
}

@Suite("A lane of a simple source")
struct LaneSimpleTests {
    private let recorded = Exchange(
        id: ExchangeID(high: 1, low: 2),
        response: Response(status: 200)
    )

    @Test("runs all hooks over a recording and hides the response from request hooks")
    func pass() {
        let lane = RecordingLane()
        #expect(lane.pass(recorded))
        #expect(lane.calls == ["admits with response", "request", "response", "finish"])
        #expect(lane.finished == recorded)
    }

    @Test("adds up the delays in both directions and returns the outcome")
    func wire() {
        let lane = RecordingLane()
        lane.outcome = WireOutcome(.forward, delay: Microseconds(7))
        var context = ExchangeContext()
        var exchange = recorded
        var pauses: [Int64] = []
        let passage = lane.passWire(&exchange, &context) { pauses.append($0.count) }
        #expect(passage.delay == Microseconds(7) && pauses == [7])
        #expect(!passage.isAnswered && !passage.isAborted)
        #expect(context.hasRequestBody && context.hasResponseBody)
        lane.outcome = WireOutcome(.abort)
        #expect(lane.passWire(&exchange, &context).isAborted)
        lane.outcome = WireOutcome(.respond)
        lane.answeredResponse = Response(status: 418)
        #expect(lane.passWire(&exchange, &context).isAnswered)
    }

    @Test("runs the message hooks over recorded messages that carry data, and over events")
    func messages() {
        let lane = RecordingLane()
        var exchange = recorded
        exchange.messages = ["text", "ping", "event"].map {
            StreamMessage(direction: .down, type: $0, bytes: [0x61])
        }
        exchange.messages += [
            StreamMessage(direction: .down, type: "event", event: "secret", bytes: [])
        ]
        lane.pass(exchange)
        let seen = lane.calls.filter { $0.hasPrefix("message") }
        #expect(seen == ["message text", "message event", "message event"])
        let passed = lane.finished?.messages ?? []
        #expect(passed.map(\.type) == ["text", "ping", "event"])
        #expect(passed.map(\.bytes.count) == [2, 1, 2])
        #expect(lane.finished?.tags["tapline.messages"] == "1 dropped by stages")
    }

    @Test("replaces the recorded response by a stage's answer")
    func respond() {
        let lane = RecordingLane()
        lane.outcome = WireOutcome(.respond)
        lane.answeredResponse = Response(status: 418)
        lane.pass(recorded)
        #expect(lane.calls == ["admits with response", "request", "response", "finish"])
        #expect(lane.finished?.response?.status == 418)
    }

    @Test("finishes an aborted exchange without a response")
    func abort() {
        let lane = RecordingLane()
        lane.outcome = WireOutcome(.abort)
        lane.pass(recorded)
        #expect(lane.calls.suffix(2) == ["request", "finish"])
        #expect(lane.finished?.response == nil)
    }

    @Test("runs no response hook if there is no response")
    func noResponse() {
        let lane = RecordingLane()
        lane.pass(Exchange(id: ExchangeID(high: 1, low: 2), state: .failed))
        #expect(lane.calls.suffix(2) == ["request", "finish"])
    }

    @Test("continues while there is room, and stops when all sinks are closed")
    func answers() async {
        let lane = RecordingLane()
        #expect(await lane.submit())
        lane.answer = .closed
        #expect(await !lane.submit(ticket: 7))
        #expect(lane.calls == ["submit -", "submit 7"])
    }

    @Test("waits until there is room")
    func waits() async {
        let readyFlag = ReadyFlag()
        let lane = RecordingLane()
        lane.answer = .paused
        lane.handOver = { ready in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
                readyFlag.open()
                ready()
            }
        }
        #expect(await lane.submit())
        #expect(readyFlag.isOpen)
    }

    @Test("does not wait for room when it is cancelled")
    func cancelled() async {
        let task = Task {
            let lane = RecordingLane()
            lane.answer = .paused
            return await lane.submit()
        }
        task.cancel()
        #expect(await !task.value)
    }
}
