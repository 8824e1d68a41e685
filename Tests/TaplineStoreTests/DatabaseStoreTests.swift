// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineSQL
import TaplineStoreSchema
import TaplineSystem
import TaplineTesting
import Testing
import TestSupport

@testable import SQLiteSink
@testable import TaplineStore

@Suite("A database")
struct DatabaseStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func numbers(_ page: StorePage) -> [Int64] { page.exchanges.map(\.key.number) }

    @Test("is read newest first in pages that continue after a key")
    func pages() throws {
        try Written.database(Exchange.examples(2500), at: path)
        let store = try Store(path)
        var found: [Int64] = []
        var key: StoreKey?
        repeat {
            let page = try store.exchanges(after: key, limit: 400, parts: [])
            found += numbers(page)
            key = page.next
        } while key != nil
        #expect(found == (1...2500).reversed())
        let oldest = try store.exchanges(order: .oldestFirst, limit: 3, parts: [])
        #expect(numbers(oldest) == [1, 2, 3])
        #expect(oldest.next?.number == 3)
        #expect(try store.exchanges(limit: 0).exchanges.isEmpty)
        let last = try store.exchanges(after: try store.key(of: Exchange.example(2).id), limit: 9)
        #expect(numbers(last) == [2, 1])
        #expect(last.next == nil)
        #expect(try store.key(of: ExchangeID(high: 1, low: 2)) == nil)
    }

    @Test(
        "is filtered as exchanges are in memory",
        arguments: [
            "status == 404", "path ~ \"[13579]$\"", "request.header[\"accept\"] exists",
            "response.body contains \"ok\"", "tag[\"x\"] == \"y\"", "not duration > 1s",
            "host == \"SHOP.test\" and bytes.up > 1",
        ]
    )
    func filters(text: String) throws {
        var exchanges = Exchange.examples(40)
        exchanges[7].tags["x"] = "y"
        exchanges[8].response?.status = 404
        exchanges[9].bytes = ByteCounts(up: .init(line: 9))
        try Written.database(exchanges, at: path)
        let store = try Store(path)
        let filter = try Filter(text)
        let expected = exchanges.filter { filter.matches($0) }
        let found = try store.exchanges(matching: filter, order: .oldestFirst, limit: 100)
        #expect(found.exchanges.map(\.exchange) == expected)
        #expect(try store.count(filter) == expected.count)
        #expect(try store.count() == 40)
    }

    @Test("shows what another connection writes meanwhile")
    func sharing() throws {
        let sink = try Written.open(path)
        _ = try sink.write([try Written.seal(Exchange.example(1))])
        let store = try Store(path)
        #expect(try store.count() == 1)
        _ = try sink.write([try Written.seal(Exchange.example(2))])
        #expect(try store.exchanges(limit: 9).exchanges.count == 2)
        // Writing during a query is possible, and the query ends.
        var seen = 0
        try store.forEach(StoreQuery()) { _ in
            seen += 1
            _ = try sink.write([try Written.seal(Exchange.example(10 + seen))])
        }
        #expect(seen == 2)
        #expect(try store.count() == 4)
        try sink.close()
    }

    @Test("of an older schema is read as it is")
    func older() throws {
        for version in 1...2 {
            let path = folder("\(version).db")
            try OldDatabase.write(version, at: path)
            let store = try Store(path)
            let found = try store.exchanges(limit: 9).exchanges
            #expect(found.map(\.key.number) == [3, 2, 1])
            #expect(found.map { $0.exchange.extra?.notes.count ?? 0 } == [0, 2, 0])
            for (text, count) in [
                ("note contains \"why\"", 1), ("mark == \"star\"", 1), ("note exists", 1),
                ("tag[\"team\"] == \"a\"", 3), ("path == \"/items/2\"", 1),
            ] {
                #expect(try store.count(try Filter(text, inStore: true)) == count)
            }
            let connection = try SQLiteConnection(path: path)
            #expect(try connection.userVersion() == Int64(version))
        }
    }

    @Test("has the notes of its table only, in memory as in SQL", arguments: [false, true])
    func notesElsewhere(hasOthers: Bool) throws {
        try Written.database(Exchange.examples(3), at: path)
        if hasOthers {
            try change("INSERT INTO notes VALUES (1, 3, 'new', '', '', NULL)")
        }
        try change(#"UPDATE exchanges SET extra = '{"notes":[{"text":"old"}]}' WHERE seq > 1"#)
        let store = try Store(path)
        let found = try store.exchanges(order: .oldestFirst, limit: 9).exchanges
        let notes = found.map { $0.exchange.extra?.notes.map(\.text) ?? [] }
        #expect(notes == (hasOthers ? [[], [], ["new"]] : [[], [], []]))
        let filter = try Filter("note exists", inStore: true)
        #expect(try store.count(filter) == (hasOthers ? 1 : 0))
    }

    @Test(
        "with damaged parts is read as far as possible",
        arguments: [
            ("fields = '{\"accept'", #"request.header["accept"] exists"#),
            ("tags = '{'", #"tag["a"] == "b""#), ("extra = '{'", #"tls.version == "x""#),
            ("extra = '{\"bytes\":'", "bytes.up > 1"), ("extra = '{'", #"response.version == "x""#),
        ]
    )
    func damagedJSON(change text: String, filter: String) throws {
        try Written.database(Exchange.examples(3), at: path)
        try change("UPDATE exchanges SET \(text) WHERE seq = 2")
        let store = try Store(path)
        let expected = try Exchange.examples(3).filter { try Filter(filter).matches($0) }.count
        #expect(try store.count(try Filter(filter)) == expected - (expected > 1 ? 1 : 0))
        #expect(store.problems == 1)
    }

    @Test("states no size that memory is reserved for")
    func hostileSizes() throws {
        let body = String(repeating: "body ", count: 40_000)
        try Written.database([.example(0, body: body)], at: path) { $0.inlineBodyMax = 100 }
        try change("UPDATE bodies SET size = 9000000000000")
        let store = try Store(path)
        #expect(try store.exchanges(limit: 1).exchanges.first?.exchange.response?.body.bytes == [])
        #expect(store.problems == 1)
    }

    @Test("in another encoding is rejected")
    func encoding() throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(
            "PRAGMA encoding = 'UTF-16'; PRAGMA application_id = \(SchemaText.applicationID); "
                + "CREATE TABLE exchanges (seq INTEGER PRIMARY KEY)"
        )
        try connection.close()
        let error = #expect(throws: StoreError.self) { _ = try Store(path) }
        #expect(error?.code == .foreign)
        #expect(error?.description.contains("has the encoding UTF-16") == true)
    }

    @Test("of a newer version or of another program is rejected")
    func rejected() throws {
        try Written.database([], at: path)
        try change("PRAGMA user_version = 99")
        let newer = #expect(throws: StoreError.self) { _ = try Store(path) }
        #expect(newer?.code == .newer)
        #expect(newer?.description.contains("found schema 99, expected at most 3") == true)
        let other = folder("other.db")
        try SQLiteConnection(path: other).execute("CREATE TABLE t (a)")
        let foreign = #expect(throws: StoreError.self) { _ = try Store(other) }
        #expect(foreign?.code == .foreign)
    }

    @Test("that is damaged or missing is an error with a remedy")
    func damaged() throws {
        try Written.database(Exchange.examples(3000), at: path)
        let whole = try folder.bytes("traffic.db")
        for kept in [120, 5000, whole.count / 2] {
            try folder.write(Array(whole.prefix(kept)), to: "cut.db")
            let error = #expect(throws: StoreError.self) {
                let store = try Store(folder("cut.db"))
                try store.forEach(StoreQuery()) { _ in }
            }
            #expect(error?.code == .damaged || error?.code == .notStore, "\(kept)")
        }
        var spoilt = whole
        for index in stride(from: 20_000, to: spoilt.count, by: 7) { spoilt[index] ^= 0x55 }
        try folder.write(spoilt, to: "spoilt.db")
        do {
            let store = try Store(folder("spoilt.db"))
            try store.forEach(StoreQuery()) { _ in }
            #expect(store.problems > 0)
        } catch let error as StoreError {
            #expect(error.code == .damaged)
            #expect(error.description.contains(".recover"))
        }
        let missing = #expect(throws: StoreError.self) { _ = try Store(folder("none.db")) }
        #expect(missing?.code == .missing)
    }

    @Test("without a log is read in a folder that cannot be written")
    func readOnlyFolder() throws {
        try Written.database(Exchange.examples(2), at: path)
        // The superuser may write everywhere, so the condition may be absent here.
        _ = try command("chmod", ["500", folder.path])
        defer { _ = try? command("chmod", ["700", folder.path]) }
        #expect(try Store(path).count() == 2)
    }

    private func change(_ sql: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(sql)
        try connection.close()
    }
}
