// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

private final class Memory: CaptureMemory {
    var left: Int
    init(_ left: Int) { self.left = left }
    func hold(_ count: Int) -> Bool {
        guard count <= left else { return false }
        left -= count
        return true
    }
    func release(_ count: Int) { left += count }
}

@Suite("The messages that are kept of a stream")
struct MessageLogTests {
    private func event(_ count: Int, name: Int = 0) -> StreamMessage {
        StreamMessage(
            direction: .down,
            type: "event",
            event: String(repeating: "n", count: name),
            bytes: [UInt8](repeating: 0x61, count: count)
        )
    }

    private func filled(_ log: borrowing MessageLog) -> Exchange {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        log.fill(&exchange)
        return exchange
    }

    @Test("are truncated at the limit of their direction, and counted beyond it")
    func limits() {
        var log = MessageLog(maxCount: 3, limit: 10)
        let memory = Memory(10_000)
        log.append(event(6), memory)
        log.append(event(6), memory)
        #expect(log.room(.down) == 0 && log.room(.up) == 10)
        log.append(event(1), memory)
        log.append(event(1), memory)
        let exchange = filled(log)
        #expect(exchange.messages.map(\.bytes.count) == [6, 4, 0])
        #expect(exchange.messages.map(\.isTruncated) == [false, true, true])
        #expect(exchange.tags == ["tapline.messages": "1 more were not kept"])
        #expect(10_000 - memory.left == log.held)
    }

    @Test("include types and ids, which count towards the limit")
    func names() {
        var log = MessageLog(maxCount: 9, limit: 10)
        let memory = Memory(10_000)
        log.append(event(2, name: 8), memory)
        log.append(event(0, name: 1), memory)
        let exchange = filled(log)
        #expect(exchange.messages.map(\.event.count) == [8])
        #expect(exchange.tags == ["tapline.messages": "1 more were not kept"])
        #expect(10_000 - memory.left == log.held)
    }

    @Test("have no bytes if there is no memory")
    func memory() {
        var log = MessageLog(maxCount: 9, limit: 1000)
        let memory = Memory(MemoryLayout<StreamMessage>.stride + 5)
        log.append(event(6), memory)
        log.append(event(6), memory)
        let exchange = filled(log)
        #expect(exchange.messages.map(\.bytes.count) == [0])
        #expect(exchange.messages.first?.isTruncated == true)
        #expect(exchange.tags == ["tapline.messages": "1 more were not kept"])
    }
}
