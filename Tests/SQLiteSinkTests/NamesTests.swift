// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct NamesTests {
    @Test func templatesAreLimited() throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        for _ in 0..<2 {
            let sink = try SQLiteSink(path) { $0.pathTemplates = 3 }
            let first = try Int(Shell.query(path, "SELECT count(*) FROM exchanges")) ?? 0
            _ = try sink.write(
                (first..<first + 10).map {
                    try Exchanges.seal(Exchanges.make($0, path: "/p\($0)x"))
                }
            )
            try sink.close()
        }
        #expect(
            try Shell.query(path, "SELECT template, count(*) FROM traffic GROUP BY template")
                == "**|17\n/p0x|1\n/p1x|1\n/p2x|1"
        )
        #expect(try Shell.query(path, "SELECT path FROM traffic WHERE seq = 12") == "/p11x")
    }

    @Test func hostsAreDistinguishedByEveryByte() throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        let sink = try SQLiteSink(path)
        var exchanges = (0..<4).map { Exchanges.make($0) }
        exchanges[1].request.scheme = "http"
        exchanges[2].request.authority = "SHOP.test"
        exchanges[3].request.authority = ByteString([0xFF])
        _ = try sink.write((exchanges + exchanges).map(Exchanges.seal))
        try sink.close()
        #expect(
            try Shell.query(path, "SELECT scheme, hex(authority), hex(host), port FROM hosts")
                == """
                https|73686F702E74657374|73686F702E74657374|443
                http|73686F702E74657374|73686F702E74657374|80
                https|53484F502E74657374|73686F702E74657374|443
                https|FF|FF|443
                """
        )
    }
}
