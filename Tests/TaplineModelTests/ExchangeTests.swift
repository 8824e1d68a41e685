// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct ExchangeTests {
    @Test func sumsOfBytesSaturate() {
        #expect(ByteCounts.Direction(line: 1, headers: 2, body: 3).total == 6)
        #expect(ByteCounts.Direction(line: .max, headers: 1, body: 0).total == .max)
        #expect(ByteCounts.Direction(line: 1, headers: 1, body: .max).total == .max)
    }

    @Test func equalityComparesEveryPart() {
        let id = ExchangeID(high: 1, low: 2)
        let plain = Exchange(id: id, response: Response())
        let changes: [(inout Exchange) -> Void] = [
            { $0.source = "a" }, { $0.state = .failed }, { $0.started.microseconds = 1 },
            { $0.request.method = "PUT" }, { $0.request.fields.append(name: "a", value: "b") },
            { $0.request.body.bytes = [1] }, { $0.request.trailers.append(name: "a", value: "b") },
            { $0.response?.status = 1 }, { $0.response?.interim = [InterimResponse(status: 103)] },
            { $0.response?.interim = [InterimResponse(status: 103, reason: "Early Hints")] },
            { $0.response = nil }, { $0.timing.dns = Microseconds(1) },
            { $0.connection.tls = TLSInfo(version: "1") }, { $0.bytes = ByteCounts() },
            { $0.messages = [StreamMessage(direction: .up, bytes: [])] },
            { $0.original.status = 1 }, { $0.tags["a"] = "b" },
            { $0.error = ExchangeError(code: "a") },
        ]
        for (position, change) in changes.enumerated() {
            var other = plain
            change(&other)
            #expect(other != plain, "change \(position)")
        }
        #expect(Exchange(id: id, response: Response()) == plain)
    }

    @Test func bodiesAndOriginalsReportWhetherTheyAreEmpty() {
        #expect(Body().isAbsent)
        #expect(!Body([]).isAbsent)
        #expect(!Body(bytes: [], size: nil, isTruncated: true).isAbsent)
        #expect(Original().isEmpty)
        #expect(!Original(status: 200).isEmpty)
    }
}
