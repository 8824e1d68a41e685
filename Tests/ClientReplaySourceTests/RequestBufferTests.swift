// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConnections
import TaplineModel
import TestSupport
import Testing

@testable import ClientReplaySource

@Suite(.timeLimit(.minutes(1))) struct RequestBufferTests {
    private func request(_ number: Int) -> ReplayRequest {
        let recorded = recorded(number)
        let origin = Origin(isSecure: false, host: "127.0.0.1", port: 1)
        return ReplayRequest(
            recorded: RecordedRequest(recorded, recorded.request, to: origin),
            offset: Int64(number)
        )
    }

    @Test("the loop is notified of the first request, and again only after it found none")
    func notifies() {
        let buffer = RequestBuffer()
        var count = 0
        for number in 0..<3 { #expect(buffer.append(request(number)) { count += 1 }) }
        #expect(count == 1)
        #expect(buffer.take().requests.map(\.offset) == [0, 1, 2])
        _ = buffer.append(request(3)) { count += 1 }
        #expect(count == 1)
        _ = buffer.take()
        #expect(buffer.take().requests.isEmpty)
        _ = buffer.append(request(4)) { count += 1 }
        #expect(count == 2)
        buffer.end(nil) { count += 1 }
        let last = buffer.take()
        #expect(count == 3 && last.requests.count == 1 && last.isEnded)
    }

    @Test("a reader waits while the buffer is full, until requests are taken or it is closed")
    func bound() async {
        let buffer = RequestBuffer(maxCount: 2)
        let added = Mutex<[Bool]>([])
        let requests = (0..<4).map { request($0) }
        let reader = Task.detached {
            for request in requests {
                let isWanted = buffer.append(request) {}
                added.withLock { $0.append(isWanted) }
            }
        }
        await wait(for: "a full buffer") { added.withLock { $0.count } == 2 }
        #expect(buffer.take().requests.count == 2)
        await wait(for: "the rest") { added.withLock { $0.count } == 4 }
        #expect(buffer.take().requests.count == 2)
        await reader.value
        buffer.close()
        #expect(!buffer.append(requests[0]) {})
    }
}
