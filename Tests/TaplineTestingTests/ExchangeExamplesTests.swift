// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTesting
import Testing

/// The exchanges that tests of plugins use.
@Suite struct ExchangeExamplesTests {
    /// A filter by duration, and a sink that shows it, can be tried on them.
    @Test func examplesHaveADuration() throws {
        for exchange in Exchange.examples(3) {
            #expect(try #require(exchange.timing.total) == .milliseconds(12))
            #expect(try #require(exchange.timing.wait) == .milliseconds(11))
        }
    }
}
