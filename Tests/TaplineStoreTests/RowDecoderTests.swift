// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import SQLiteSink
@testable import TaplineStore

/// Databases are written by the sink and read by the store.
@Suite("Rows of a database")
struct RowDecoderTests {
    enum Setting: CaseIterable {
        case plain, compressed, files
    }

    private func written(
        _ exchanges: [Exchange],
        _ setting: Setting = .plain
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try Written.database(exchanges, at: folder("traffic.db")) { settings in
            settings.compress = setting == .compressed
            if setting == .files { settings.inlineBodyMax = 100 }
        }
        return folder
    }

    private func read(_ folder: TemporaryFolder) throws -> [Exchange] {
        let store = try Store(folder("traffic.db")) { Issue.record("\($0)") }
        var read: [Exchange] = []
        try store.forEach(StoreQuery(order: .oldestFirst)) { read.append($0.exchange) }
        #expect(store.problems == 0)
        return read
    }

    @Test("become the exchanges that were written", arguments: Setting.allCases)
    func roundTrip(setting: Setting) throws {
        var exchanges = Exchange.examples(20)
        exchanges += (100..<103).map { Exchange.whole($0) }
        exchanges.append(Exchange.example(200, body: String(repeating: "abc", count: 40_000)))
        // The same body again, which is stored once.
        exchanges.append(Exchange.example(201, body: String(repeating: "abc", count: 40_000)))
        let folder = try written(exchanges, setting)
        let found = try read(folder)
        #expect(found.count == exchanges.count)
        for (found, expected) in zip(found, exchanges) { #expect(found == expected) }
    }

    @Test("become unusual exchanges", arguments: Setting.allCases)
    func unusual(setting: Setting) throws {
        let folder = try written(EdgeCaseExchanges.all, setting)
        let found = try read(folder)
        #expect(found.count == EdgeCaseExchanges.all.count)
        for (found, written) in zip(found, EdgeCaseExchanges.all) {
            var expected = written
            // An empty type is not part of the record schema; it means text.
            for position in expected.messages.indices where expected.messages[position].type == "" {
                expected.messages[position].type = "text"
            }
            #expect(found == expected, "\(written.request.target)")
        }
    }

    @Test("have only the parts that are asked for")
    func parts() throws {
        let exchange = Exchange.whole(1)
        let folder = try written([exchange])
        let store = try Store(folder("traffic.db"))
        let bare = try #require(try store.exchanges(limit: 1, parts: []).exchanges.first).exchange
        #expect(bare.request.fields.isEmpty && bare.tags.isEmpty && bare.messages.isEmpty)
        #expect(bare.request.body.bytes.isEmpty && bare.request.body.size == 311)
        #expect(bare.error == exchange.error && bare.request.url == exchange.request.url)
        let tags = try store.exchanges(limit: 1, parts: .tags).exchanges[0].exchange.tags
        #expect(tags == exchange.tags)
    }

    @Test("are read without a body whose file is missing")
    func missingBody() throws {
        let folder = try written([Exchange.whole(1), Exchange.example(2)], .files)
        try FileSystem.removeFolder(folder("traffic.db-bodies"))
        var warnings: [String] = []
        let store = try Store(folder("traffic.db")) { warnings.append($0) }
        let found = try store.exchanges(limit: 10).exchanges.map(\.exchange)
        #expect(found.count == 2)
        #expect(found[1].response?.body.isTruncated == true)
        #expect(found[1].response?.body.size == 5000)
        #expect(store.problems == 2)
        #expect(warnings == ["'\(folder("traffic.db"))': a body of row 1 is missing or damaged"])
    }

    @Test("that cannot be understood are skipped and reported")
    func damagedRow() throws {
        let folder = try written(Exchange.examples(3))
        let connection = try SQLiteConnection(path: folder("traffic.db"))
        try connection.execute("UPDATE exchanges SET fields = '{\"request\":7}' WHERE seq = 2")
        try connection.close()
        var warnings: [String] = []
        let store = try Store(folder("traffic.db")) { warnings.append($0) }
        let found = try store.exchanges(limit: 10).exchanges
        #expect(found.map(\.key.number) == [3, 1])
        #expect(store.problems == 1)
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("row 2: wrong value of 'request'") == true)
    }
}
