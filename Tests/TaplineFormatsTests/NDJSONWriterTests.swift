// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct NDJSONWriterTests {
    func line(_ exchange: Exchange, digests: Bool = false) throws -> String {
        let record = try #require(seal(exchange, digests: digests))
        var writer = NDJSONWriter(capacity: 1)
        writer.write(record)
        return text(writer.bytes)
    }

    @Test func linesAreCollectedUntilRemoved() throws {
        let record = try #require(seal(Exchange(id: ExchangeID(high: 0, low: 0))))
        var writer = NDJSONWriter()
        writer.write(record)
        let one = writer.count
        writer.write(record)
        let two = writer.count
        #expect(two == 2 * one)
        writer.removeAll()
        let none = writer.count
        #expect(none == 0)
    }
}
