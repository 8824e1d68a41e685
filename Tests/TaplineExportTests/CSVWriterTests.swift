// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Tables of comma-separated values")
struct CSVWriterTests {
    @Test("have one line for each exchange")
    func lines() {
        var exchange = Exchange.shop("=cmd|'/c calc'!A1", "/users/17")
        exchange.tags["team"] = "a b"
        let exported = Exported(.csv, [exchange])
        let lines = exported.text.split(separator: "\r\n")
        #expect(lines.count == 2)
        #expect(
            lines[1]
                == "01931234-5678-7abc-8def-0123456789ab,,completed,2027-01-15T08:00:00.123456Z,"
                + "15.5,\"'=cmd|'/c calc'!A1\",https://shop.test/users/17,shop.test,/users/17,"
                + "/users/{id},200,application/json,,11,,,,team=a b"
        )
        #expect(exported.losses == ["headers", "bodies"])
    }
}
