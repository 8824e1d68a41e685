// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import TaplineQuery
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("Removing exchanges from a database")
struct ExchangeRemovalTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func write(_ exchanges: [Exchange]) throws {
        try Written.databaseWithFiles(exchanges, at: path)
    }

    private func stored(_ path: String) throws -> [Exchange] {
        try Store(path).exchanges(order: .oldestFirst, limit: 1000).exchanges.map(\.exchange)
    }

    private func count(_ table: String) throws -> Int64? {
        try SQLiteConnection(path: path).integer("SELECT count(*) FROM \(table)")
    }

    @Test("takes their own bodies, files and names along, but not shared ones")
    func filter() throws {
        var exchanges = (0..<40).map { Exchange.example($0, body: "{\"n\":\($0)}") }
        let shared = Body(Array(String(repeating: "s", count: 500).utf8))
        let own = Body(Array(String(repeating: "o", count: 500).utf8))
        let file = Body(Array(String(repeating: "f", count: 5000).utf8))
        exchanges[7].response?.body = shared
        exchanges[8].response?.body = shared
        exchanges[17].response?.body = own
        exchanges[27].response?.body = file
        exchanges[37].request.authority = "private.test"
        for number in stride(from: 7, to: 40, by: 10) { exchanges[number].response?.status = 500 }
        try write(exchanges)
        let filter = try Filter("status == 500")
        #expect(try StoreErasure(path, .exchanges(filter)).preview().exchanges == 4)
        let report = try StoreErasure(path, .exchanges(filter)).run()
        #expect(report.exchanges == 4)
        #expect(report.sample.count == 4)
        #expect(try stored(path) == exchanges.filter { $0.response?.status != 500 })
        #expect(try count("bodies") == 1)
        #expect(try RawFiles.all(in: path + "-bodies").isEmpty)
        for id in report.sample {
            #expect(try RawFiles.containing(id.bytes, in: folder.path) == [])
        }
        #expect(try RawFiles.containing("private.test", in: folder.path) == [])
        #expect(try RawFiles.containing(String(repeating: "o", count: 40), in: folder.path) == [])
        #expect(try RawFiles.containing(String(repeating: "f", count: 40), in: folder.path) == [])
        let none = try StoreErasure(path, .exchanges(filter)).run()
        #expect(none.isEmpty)
    }

    @Test("keeps the number, age and size that retention asks for")
    func prune() throws {
        let exchanges = (0..<100).map {
            Exchange.example($0, body: String(repeating: "\($0 % 10)", count: 2000 + $0))
        }
        try write(exchanges)
        let now = Timestamp(microseconds: exchanges[60].started.microseconds)
        try expectPreview(PruneLimits(count: 90), now, removed: 10, left: 90)
        var result = try DatabaseRewrite(path, .shared).prune(PruneLimits(count: 90), now: now)
        #expect([result.removed, result.left] == [10, 90])
        #expect(try stored(path) == Array(exchanges[10...]))
        let age = PruneLimits(age: Microseconds(20_000))
        try expectPreview(age, now, removed: 30, left: 60)
        try expectPreview(PruneLimits(count: 50, age: age.age), now, removed: 40, left: 50)
        result = try DatabaseRewrite(path, .shared).prune(age, now: now)
        #expect([result.removed, result.left] == [30, 60])
        #expect(try stored(path).first?.id == exchanges[40].id)
        #expect(try RawFiles.all(in: path + "-bodies").count == 60)
        let size = PruneLimits(bytes: try usedBytes() - 60_000)
        let estimate = try DatabaseRewrite(path, .readOnly).prunePreview(size, now: now)
        #expect(1..<60 ~= estimate.removed)
        #expect(estimate.left == 60 - estimate.removed)
        result = try DatabaseRewrite(path, .shared).prune(size, now: now)
        #expect(result.removed > 0)
        #expect(result.left > 0)
        #expect(try stored(path) == Array(exchanges.suffix(result.left)))
        result = try DatabaseRewrite(path, .shared).prune(PruneLimits(count: 0), now: now)
        #expect(result.left == 0)
        #expect(try count("bodies") == 0)
    }

    /// Checks what a retention would do, and that it changes nothing.
    private func expectPreview(
        _ limits: PruneLimits,
        _ now: Timestamp,
        removed: Int,
        left: Int
    ) throws {
        let before = try stored(path).count
        let preview = try DatabaseRewrite(path, .readOnly).prunePreview(limits, now: now)
        #expect([preview.removed, preview.left] == [removed, left])
        #expect(try stored(path).count == before)
    }

    @Test("measures files whose damaged rows state an odd size", arguments: [Int64.max, -1])
    func damagedSize(size: Int64) throws {
        try write(
            (0..<10).map { Exchange.example($0, body: String(repeating: "\($0)", count: 50_000)) }
        )
        let database = try SQLiteConnection(path: path)
        try database.execute("UPDATE bodies SET size = \(size) WHERE content IS NULL")
        try database.close()
        let now = Timestamp(microseconds: 0)
        let all = PruneLimits(bytes: 1 << 30)
        #expect(try DatabaseRewrite(path, .shared).prune(all, now: now).left == 10)
        let half = PruneLimits(bytes: try usedBytes() - 250_000)
        let left = try DatabaseRewrite(path, .shared).prune(half, now: now).left
        #expect(1...9 ~= left)
    }

    /// The size of used pages and body files.
    private func usedBytes() throws -> Int {
        let database = try SQLiteConnection(path: path)
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        let size = try database.integer("PRAGMA page_size") ?? 0
        let files = try RawFiles.all(in: path + "-bodies").values.reduce(0) { $0 + $1.count }
        return Int((pages - free) * size) + files
    }

    @Test("is possible during a run if only the oldest are removed")
    func shared() throws {
        let sink = try Written.open(path)
        _ = try sink.write(try Exchange.examples(10).map(Written.seal))
        let now = Timestamp(microseconds: 0)
        let limits = PruneLimits(count: 4)
        #expect(try DatabaseRewrite(path, .shared).prune(limits, now: now).left == 4)
        _ = try sink.write([try Written.seal(Exchange.example(10))])
        try sink.close()
        #expect(try stored(path).map(\.id) == (6...10).map { Exchange.example($0).id })
    }

    @Test("lets a running sink notice that hosts and bodies are gone")
    func emptied() throws {
        let exchanges = (0..<6).map {
            Exchange.example($0, body: String(repeating: "b", count: $0 < 3 ? 500 : 5000))
        }
        let sink = try Written.open(path)
        _ = try sink.write(try exchanges.prefix(4).map(Written.seal))
        let now = Timestamp(microseconds: 0)
        let none = PruneLimits(count: 0)
        #expect(try DatabaseRewrite(path, .shared).prune(none, now: now).left == 0)
        _ = try sink.write(try exchanges.suffix(4).map(Written.seal))
        try sink.close()
        #expect(try stored(path) == Array(exchanges.suffix(4)))
    }

    @Test("refuses a file that is not a database of Tapline")
    func foreign() throws {
        let other = folder("other.db")
        let database = try SQLiteConnection(path: other)
        try database.execute("CREATE TABLE t (a)")
        try database.close()
        let error = #expect(throws: StoreError.self) { try DatabaseRewrite(other, .exclusive) }
        #expect(error?.code == .foreign)
        let text = try folder.write("no database", to: "text")
        let second = #expect(throws: StoreError.self) { try DatabaseRewrite(text, .shared) }
        #expect(second?.code == .notDatabase)
    }

    @Test("refuses links, next to which there are no body files")
    func links() throws {
        try write([Exchange.example(0, body: String(repeating: "f", count: 5000))])
        let filter = try Filter("status >= 100")
        let (soft, hard) = (folder("soft.db"), folder("hard.db"))
        let isSoft = unsafe symlink(path, soft) == 0
        try #require(isSoft)
        let error = #expect(throws: StoreError.self) {
            try StoreErasure(soft, .exchanges(filter)).run()
        }
        #expect(error?.code == .notChangeable)
        let isHard = unsafe link(path, hard) == 0
        try #require(isHard)
        let second = #expect(throws: StoreError.self) {
            try StoreErasure(hard, .exchanges(filter)).run()
        }
        #expect(second?.code == .notChangeable)
        #expect(try stored(path).count == 1)
        #expect(try RawFiles.all(in: path + "-bodies").count == 1)
    }
}

@Suite("Replacing the exchanges of a database")
struct ContentReplacementTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func stored(_ path: String) throws -> [StoredExchange] {
        try Store(path).exchanges(order: .oldestFirst, limit: 1000).exchanges
    }

    @Test("keeps numbers, and leaves nothing of the former content")
    func replacement() throws {
        let old = (0..<20).map {
            Exchange.example($0, body: "former-\($0)" + String(repeating: "x", count: 2000))
        }
        let new = stride(from: 0, to: 20, by: 2).map {
            Exchange.example($0, body: "later-\($0)" + String(repeating: "y", count: 2000))
        }
        let (first, second) = (path, folder("fresh.tmp"))
        try Written.databaseWithFiles(Array(old.prefix(3)), at: first)
        try Written.databaseWithFiles(old, at: first)
        try Written.databaseWithFiles(new, at: second)
        let numbers = try stored(path).map(\.key.number)
        let backup = folder("traffic.db.backup")
        do {
            let rewrite = try DatabaseRewrite(path, .exclusive)
            try rewrite.backUp(to: backup)
            let again = #expect(throws: StoreError.self) { try rewrite.backUp(to: backup) }
            #expect(again?.code == .notChangeable)
            try rewrite.replaceContent(with: second)
        }
        let found = try stored(path)
        #expect(found.map(\.exchange) == new)
        #expect(found.map(\.key.number) == stride(from: 0, to: 20, by: 2).map { numbers[$0] })
        #expect(try stored(backup).map(\.exchange) == old)
        #expect(try FileSystem.status(of: backup)?.permissions == 0o600)
        try DatabaseRewrite.removeBackup(backup)
        #expect(try RawFiles.containing("former-", in: folder.path) == [])
        #expect(try RawFiles.all(in: path + "-bodies").count == new.count)
        // The sink goes on writing to it.
        try Written.database([Exchange.example(50)], at: path)
        #expect(try stored(path).count == new.count + 1)
    }

    @Test("leaves nothing of the former content in full-text indexes and free pages")
    func searchIndexes() throws {
        var exchanges = Exchange.examples(6)
        for number in exchanges.indices { exchanges[number].request.target = "/zqformer" }
        try Written.database(exchanges, at: path)
        for number in exchanges.indices { exchanges[number].request.target = "/zqlater" }
        let other = folder("fresh.tmp")
        try Written.database(exchanges, at: other)
        let database = try SQLiteConnection(path: path)
        try database.setPragma("secure_delete", 0)
        try database.execute(
            """
            CREATE VIRTUAL TABLE words USING fts5(target, content='exchanges', content_rowid='seq');
            INSERT INTO words (words) VALUES ('rebuild');
            CREATE VIRTUAL TABLE copies USING fts5(text);
            INSERT INTO copies VALUES ('zqformer');
            CREATE TABLE large AS SELECT 'zqformer' || hex(zeroblob(50000)) AS text;
            DROP TABLE large;
            """
        )
        try database.close()
        try TextIndex.build(path, .words, progress: QueryProgress())
        let removed = try DatabaseRewrite(path, .exclusive).replaceContent(with: other)
        #expect(removed == [TextIndexFile.path(of: path), "copies"])
        #expect(try stored(path).map(\.exchange) == exchanges)
        #expect(try RawFiles.containing("zqformer", in: folder.path) == [])
        let after = try SQLiteConnection(path: path)
        #expect(try after.integer("SELECT count(*) FROM words WHERE words MATCH 'zqlater'") == 6)
        #expect(try after.integer("SELECT count(*) FROM words WHERE words MATCH 'zqformer'") == 0)
    }

    @Test("changes nothing if it fails")
    func failure() throws {
        let old = Exchange.examples(5)
        try Written.database(old, at: path)
        let broken = folder("broken.tmp")
        let database = try SQLiteConnection(path: broken)
        try database.execute("CREATE TABLE exchanges (seq INTEGER PRIMARY KEY, id BLOB)")
        try database.close()
        do {
            let rewrite = try DatabaseRewrite(path, .exclusive)
            #expect(throws: StoreError.self) { try rewrite.replaceContent(with: broken) }
        }
        #expect(try stored(path).map(\.exchange) == old)
    }
}
