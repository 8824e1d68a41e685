// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct ActiveTableTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func active(_ numbers: Range<Int>) -> [ActiveExchange] {
        numbers.map { ActiveExchange(Exchanges.make($0)) }
    }

    private func ids(_ numbers: Range<Int>) -> [ExchangeID] { numbers.map(Exchanges.id) }

    @Test func showsUnfinishedExchanges() throws {
        let sink = try SQLiteSink(path)
        try sink.active(opened: active(0..<5), ended: ids(3..<4))
        try sink.active(opened: active(5..<6), ended: ids(0..<2))
        #expect(
            try Shell.query(path, "SELECT id, method, scheme, host, port, lost FROM unfinished")
                == [2, 4, 5].map { "\(Exchanges.id($0))|GET|https|shop.test|443|0" }
                .joined(separator: "\n")
        )
        try sink.active(opened: [], ended: ids(0..<6))
        #expect(try Shell.query(path, "SELECT count(*) FROM active") == "0")
        try sink.close()
    }

    @Test func exchangesAreLostAfterACrash() throws {
        do {
            let sink = try SQLiteSink(path)
            try sink.active(opened: active(0..<2), ended: [])
        }
        let next = try SQLiteSink(path)
        try next.active(opened: active(2..<3), ended: [])
        #expect(try Shell.query(path, "SELECT lost FROM unfinished") == "1\n1\n0")
        #expect(try Shell.query(path, "SELECT closed IS NULL FROM runs") == "1\n1")
        try next.active(opened: [], ended: ids(2..<3))
        try next.close()
        #expect(try Shell.query(path, "SELECT closed IS NULL FROM runs") == "1\n0")
    }

    @Test func exchangesSurviveALockedDatabase() throws {
        let sink = try SQLiteSink(path) { $0.busyTimeout = .milliseconds(20) }
        try sink.active(opened: active(0..<2), ended: [])
        let other = try OpenShell(path)
        try other.run("BEGIN IMMEDIATE")
        #expect(throws: SinkError.self) {
            try sink.active(opened: active(2..<4), ended: ids(0..<1))
        }
        try other.run("ROLLBACK")
        try sink.active(opened: [], ended: ids(2..<3))
        #expect(
            try Shell.query(path, "SELECT id FROM unfinished")
                == "\(Exchanges.id(1))\n\(Exchanges.id(3))"
        )
        try sink.close()
    }

    @Test func exchangesSurviveReopening() throws {
        let sink = try SQLiteSink(path)
        try sink.active(opened: active(0..<2), ended: [])
        try Shell.run("mv '\(path)' '\(folder("old.db"))'")
        try sink.reopen()
        try sink.active(opened: [], ended: ids(0..<1))
        #expect(try Shell.query(path, "SELECT id, lost FROM unfinished") == "\(Exchanges.id(1))|0")
        try sink.active(opened: [], ended: ids(1..<2))
        #expect(try Shell.query(path, "SELECT count(*) FROM active") == "0")
        try sink.close()
    }

    @Test func exchangesSurviveReopeningTheSameFile() throws {
        let sink = try SQLiteSink(path)
        try sink.active(opened: active(0..<3), ended: [])
        try sink.reopen()
        #expect(try Shell.query(path, "SELECT lost FROM unfinished") == "0\n0\n0")
        try sink.active(opened: active(3..<4), ended: ids(0..<1))
        try sink.reopen()
        try sink.active(opened: [], ended: ids(1..<2))
        #expect(
            try Shell.query(path, "SELECT id, lost FROM unfinished")
                == "\(Exchanges.id(2))|0\n\(Exchanges.id(3))|0"
        )
        try sink.active(opened: [], ended: ids(2..<4))
        #expect(try Shell.query(path, "SELECT count(*) FROM active") == "0")
        try sink.close()
    }

    @Test("a secret in a method or host is in no file, even if the process is killed")
    func secretsAreInNoFile() throws {
        let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
        var exchanges = (0..<5).map { Exchanges.make($0) }
        exchanges[0].request.method = ByteString(secret)
        exchanges[1].request.authority = ByteString("\(secret).shop.test")
        exchanges[2].request.authority = ByteString("\(secret)@shop.test")
        exchanges[3].request.scheme = ByteString(secret)
        exchanges[4].request.target = ByteString("/\(secret)")
        let sink = try SQLiteSink(path)
        try sink.active(opened: exchanges.map { ActiveExchange($0) }, ended: [])
        #expect(
            try Shell.query(path, "SELECT method, scheme, host, port FROM unfinished")
                == """
                |https|shop.test|443
                GET|https||
                GET|https|shop.test|443
                GET||shop.test|
                GET|https|shop.test|443
                """
        )
        // These are the files that a kill of the process would leave now.
        #expect(try Shell.run("ls '\(path)'*").split(separator: "\n").count == 3)
        #expect(try Shell.run("cat '\(path)'* | grep -caF unfinished") != "0")
        #expect(try Shell.run("cat '\(path)'* | grep -caF '\(secret)'") == "0")
        try sink.close()
    }
}
