// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import Testing

/// When recorded clients had their answers.
@Suite struct RecordedSessionsTests {
    private func planned(
        _ change: (inout Exchange) -> Void
    ) -> PlannedRequest {
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: 0),
            started: Timestamp(microseconds: 1_000_000)
        )
        exchange.connection.client = "10.0.0.1:5000"
        change(&exchange)
        var sessions = RecordedSessions(key: .automatic, map: TokenMap([]))
        return sessions.read(exchange)
    }

    /// A proxy notes the end up to 100 ms after the client has the response.
    @Test(
        arguments: [
            (nil, 0), (80_000, 0), (500_000, 400_000), (Int64.max, (1 << 50) - 100_000), (-5, 0),
        ] as [(Int64?, Int64)]
    )
    func anAnswerMayBeKnownShortlyBeforeItsRecordedEnd(total: Int64?, answered: Int64) {
        let plan = planned { $0.timing.total = total.map { Microseconds($0) } }
        #expect(plan.answered == Timestamp(microseconds: 1_000_000 + answered))
    }

    @Test(arguments: [("HTTP/1.1", true), ("HTTP/1.0", true), ("HTTP/2", false), ("", false)])
    func onlyConnectionsOfHTTP1AreSerial(version: String, isSerial: Bool) {
        let plan = planned { $0.request.version = ByteString(version) }
        #expect((plan.connection != nil) == isSerial)
    }
}
