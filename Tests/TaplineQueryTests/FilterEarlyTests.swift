// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@Suite("Conditions that are known early") struct FilterEarlyTests {
    @Test(
        "of a filter match every exchange that the filter may match",
        arguments: [
            ("method == \"GET\"", FilterMoment.request, true),
            ("method == \"PUT\" and request.body contains \"a\"", .request, false),
            ("method == \"GET\" and request.body contains \"a\"", .request, true),
            ("request.body contains \"a\"", .request, true),
            ("method == \"PUT\" or request.body contains \"a\"", .request, true),
            ("not request.body contains \"a\"", .request, true),
            ("status == 404 and method == \"GET\"", .request, true),
            ("status == 404 and response.body contains \"a\"", .response, false),
            ("not (status == 200) and json \"$.a\" exists", .response, false),
        ]
    )
    func matcher(text: String, moment: FilterMoment, expected: Bool) throws {
        let exchange = Exchange(id: ExchangeID(high: 1, low: 2), response: Response())
        let matcher = try Filter(text).matcher(forFieldsKnownAt: moment)
        #expect(matcher.matches(exchange) == expected)
    }
}
