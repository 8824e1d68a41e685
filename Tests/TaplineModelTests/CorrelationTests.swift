// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct CorrelationTests {
    static let trace = "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    static let traceID = "0af7651916cd43dd8448eb211c80319c"

    @Test(
        arguments: [
            ([("traceparent", trace)], traceID),
            ([("X-Request-ID", "r-1"), ("Traceparent", trace)], traceID),
            ([("x-request-id", "r-1")], "r-1"),
            ([("traceparent", "00-\(String(repeating: "0", count: 32))-b7ad6b7169203331-01")], nil),
            ([("traceparent", "00-0af7"), ("x-request-id", "r-2")], "r-2"),
            ([("traceparent", trace.replacing("3dd", with: "3xx"))], nil),
            ([("x-request-id", "")], nil),
            ([("x-request-id", String(repeating: "r", count: 129))], nil),
            ([("x-request-id", "r\u{7F}")], nil),
            ([], nil),
        ] as [([(String, String)], String?)]
    )
    func isFoundInFields(fields: [(String, String)], id: String?) {
        let section = FieldSection(fields.map { (name: $0.0, value: $0.1) })
        #expect(Correlation.find(in: section)?.description == id)
    }

    @Test func prefersTheRequest() {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 0), response: Response())
        #expect(Correlation.find(in: exchange) == nil)
        exchange.response?.fields = ["x-request-id": "b"]
        #expect(Correlation.find(in: exchange) == "b")
        exchange.request.fields = ["x-request-id": "a"]
        #expect(Correlation.find(in: exchange) == "a")
        exchange.tags[Correlation.tag] = "c"
        #expect(Correlation.find(in: exchange) == "c")
    }
}
