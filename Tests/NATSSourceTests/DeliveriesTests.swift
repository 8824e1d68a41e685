// SPDX-License-Identifier: MIT

import Synchronization
import TaplineNATS
import Testing

@testable import NATSSource

@Suite("Answers to delivered messages")
struct DeliveriesTests {
    /// What is sent, and how often the source is woken.
    private final class Sent: Sendable {
        private let state = Mutex((answers: [String](), wakes: 0))

        var answers: [String] { state.withLock { $0.answers } }
        var wakes: Int { state.withLock { $0.wakes } }

        func send(_ answer: NATSPull.Answer, _ replies: [UInt8]) {
            state.withLock { $0.answers.append("\(answer) \(replies)") }
        }

        func wake() { state.withLock { $0.wakes += 1 } }
    }

    private let sent = Sent()
    private let figures = NATSFigures()

    private func makeDeliveries() -> Deliveries {
        let sent = sent
        return Deliveries(
            ackWait: 1000,
            retryDelay: 7,
            figures,
            wake: { sent.wake() },
            send: { answer, replies in sent.send(answer, replies) }
        )
    }

    @Test("are sent by the source and not by the sink that confirms")
    func confirmed() {
        let deliveries = makeDeliveries()
        let answer = deliveries.add([1, 0], count: 3, now: 0)
        answer.acknowledge()
        #expect(sent.answers.isEmpty && sent.wakes == 1 && deliveries.count == 3)
        deliveries.answer()
        #expect(sent.answers == ["done [1, 0]"] && deliveries.count == 0)
        deliveries.answer()
        #expect(sent.answers.count == 1 && figures.current.returned == 0)
    }

    @Test("return a batch that a sink could not store, and what waits at the end")
    func returned() {
        let deliveries = makeDeliveries()
        _ = deliveries.add([1, 0], count: 3, now: 0)
        let waiting = deliveries.add([2, 0], count: 2, now: 0)
        let done = deliveries.add([3, 0], count: 1, now: 0)
        done.acknowledge()
        #expect(deliveries.end() == 2)
        waiting.acknowledge()
        deliveries.answer()
        #expect(
            sent.answers == ["again(after: 7) [1, 0]", "done [3, 0]", "again(after: 0) [2, 0]"]
        )
        #expect(figures.current.returned == 3 && sent.wakes == 1)
    }
}
