// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
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

    @Test func showsWhatHasNotEnded() throws {
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

    @Test func crashLeavesThemAsLost() throws {
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

    @Test func lockDoesNotLoseThem() throws {
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

    @Test func openingAnewKeepsThem() throws {
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
}
