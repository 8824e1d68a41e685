// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineOperations
import Testing

@testable import ClientReplaySource

@Suite struct KeptPassTests {
    private let origin = Origin(isSecure: false, host: "127.0.0.1", port: 1)

    private func request(_ number: Int, bodyBytes: Int = 0) -> RecordedRequest {
        var exchange = recorded(number)
        exchange.request.body = Body(Array(repeating: 0, count: bodyBytes))
        return RecordedRequest(exchange, exchange.request, to: origin)
    }

    @Test("a pass is whole after its end, with the times and refusals of the recording")
    func whole() {
        var kept = KeptPass(isOn: true)
        kept.add(request(1), at: 0)
        for _ in 0..<2 { kept.add(ReplayRefusal(obstacle: .missingBody)) }
        kept.add(request(3), at: 40)
        #expect(!kept.isWhole)
        kept.end(after: 70)
        #expect(kept.isWhole)
        #expect(kept.requests.map(\.offset) == [0, 40])
        #expect(kept.refused == [ReplayRefusal(obstacle: .missingBody): 2])
        #expect(kept.length == 70)
    }

    @Test("a large recording is not kept")
    func large() {
        var kept = KeptPass(isOn: true)
        for number in 0..<5 { kept.add(request(number, bodyBytes: 8 << 20), at: 0) }
        kept.end(after: 1)
        #expect(!kept.isWhole)
        #expect(kept.requests.isEmpty)
    }

    @Test("nothing is kept of a recording that is read again")
    func off() {
        var kept = KeptPass(isOn: false)
        kept.add(request(1), at: 0)
        kept.end(after: 1)
        #expect(!kept.isWhole)
        #expect(kept.requests.isEmpty)
    }
}
