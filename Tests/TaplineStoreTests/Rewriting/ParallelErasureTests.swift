// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

private let secret = PlainEraser.secret

@Suite("Erasing values on several threads")
struct ParallelErasureTests {
    /// The rows of the table of another program, which are several ranges.
    private static let rows = 20_000

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    /// Adds a table, in which some rows have the secret.
    private func addRows(where condition: String, _ after: String = "") throws {
        let database = try SQLiteConnection(path: path)
        try database.execute(
            """
            CREATE TABLE numbers (text TEXT);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
            INSERT INTO numbers SELECT 'row ' || i || iif(\(condition), ' \(secret)', ' other')
              FROM n;
            \(after)
            """
        )
        try database.close()
    }

    private func checkRows(_ hasSecret: (Int) -> Bool) throws {
        let database = try SQLiteConnection(path: path)
        let rows = try database.prepare("SELECT rowid, text FROM numbers ORDER BY rowid")
        var count = 0
        while try rows.step() {
            count += 1
            let expected = "row \(count) " + (hasSecret(count) ? "[erased]" : "other")
            let text = rows.text(1)
            guard text == expected else {
                Issue.record("row \(count): \(text ?? "")")
                return
            }
        }
        #expect(count == Self.rows)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
    }

    @Test("changes the rows at both ends of each range", arguments: ["wal", "delete"])
    func ranges(journal: String) throws {
        try Written.database(Exchange.examples(3), at: path)
        try addRows(
            where: "i % 256 < 2 OR i = \(Self.rows)",
            "PRAGMA journal_mode = \(journal)"
        )
        func hasSecret(_ row: Int) -> Bool { row % 256 < 2 || row == Self.rows }
        let erasure = try StoreErasure(path, .values { PlainEraser(joinedNames: 1) })
        let preview = try erasure.preview()
        let count = (1...Self.rows).count(where: hasSecret)
        #expect(preview.places.map(\.place) == ["numbers.text"])
        #expect(preview.places.map(\.count) == [count])
        let report = try erasure.run()
        #expect(report.places.map(\.count) == [count])
        for names in [preview.joinedNames, report.joinedNames] {
            #expect(names.map(\.place) == ["numbers.text"])
            #expect(names.map(\.count) == [count])
        }
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        try checkRows(hasSecret)
    }

    @Test("changes every row, and holds only a part of the changes")
    func everyRow() throws {
        try Written.database(Exchange.examples(3), at: path)
        let filler = String(repeating: "x", count: 500)
        try addRows(
            where: "1",
            """
            CREATE TABLE keyed (name TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
            INSERT INTO keyed SELECT 'key ' || rowid, '\(filler)' || text FROM numbers
              WHERE rowid <= 5000;
            CREATE TABLE loose (rowid, _rowid_, oid, text TEXT);
            INSERT INTO loose SELECT rowid, NULL, 1.5, hex(zeroblob(5000)) || text FROM numbers
              WHERE rowid <= 300;
            """
        )
        let report = try StoreErasure(path, .values { PlainEraser() }).run()
        #expect(report.places.map(\.place) == ["keyed.text", "loose.text", "numbers.text"])
        #expect(report.places.map(\.count) == [5000, 300, Self.rows])
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        try checkRows { _ in true }
        let database = try SQLiteConnection(path: path)
        for (table, count) in [("keyed", 5000), ("loose", 300)] {
            let query = "SELECT count(*) FROM \(table) WHERE text LIKE '%[erased]'"
            #expect(try database.integer(query) == Int64(count))
        }
    }

    @Test("changes bodies in the table and in files, with several values")
    func bodies() throws {
        let exchanges = (0..<1500).map { number in
            let filler = String(repeating: "y", count: number % 50 == 0 ? 2000 : 300)
            let text = number % 3 == 0 ? "\(secret) other-value" : "nothing"
            return Exchange.example(number, body: "\(number) \(filler) \(text)")
        }
        try Written.databaseWithFiles(exchanges, at: path)
        let erasure = try StoreErasure(path, .values { PlainEraser([secret, "other-value"]) })
        let preview = try erasure.preview()
        let report = try erasure.run()
        #expect(report.places.map(\.place) == ["bodies.content", "body files"])
        #expect(report.places.map(\.count) == preview.places.map(\.count))
        #expect(report.places.reduce(0) { $0 + $1.count } == 1000)
        #expect(report.problems == 0)
        for value in [secret, "other-value"] {
            #expect(try RawFiles.containing(value, in: folder.path) == [])
        }
        let found = try Store(path).exchanges(order: .oldestFirst, limit: 1500).exchanges
        for (number, item) in found.enumerated() {
            let before = exchanges[number].response?.body.bytes ?? []
            let text = String(decoding: before, as: UTF8.self)
                .replacing("\(secret) other-value", with: "[erased] [erased]")
            #expect(item.exchange.response?.body.bytes == Array(text.utf8))
        }
    }

    @Test("leaves the database as it was if a thread fails")
    func errors() throws {
        struct Failure: Error {}
        try Written.database(Exchange.examples(3), at: path)
        try addRows(where: "i % 100 = 0")
        let before = try TestFiles.bytes(of: path)
        let made = Atomic<Int>(0)
        #expect(throws: Failure.self) {
            try StoreErasure(
                path,
                .values {
                    // The calling thread has the first one.
                    guard made.add(1, ordering: .relaxed).oldValue == 0 else { throw Failure() }
                    return PlainEraser()
                }
            ).run()
        }
        #expect(made.load(ordering: .relaxed) > 1)
        #expect(try TestFiles.bytes(of: path) == before)
        // The pages of the last rows are damaged.
        var damaged = before
        for index in before.count * 9 / 10..<before.count { damaged[index] = 0xFF }
        try File(path, for: .replace).write(damaged.span)
        let error = #expect(throws: StoreError.self) {
            try StoreErasure(path, .values { PlainEraser() }).run()
        }
        #expect(error?.code == .damaged)
        #expect(try TestFiles.bytes(of: path) == damaged)
        try File(path, for: .replace).write(before.span)
        _ = try StoreErasure(path, .values { PlainEraser() }).run()
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
    }

    @Test("keeps others out while its threads read")
    func exclusive() throws {
        try Written.database(Exchange.examples(3), at: path)
        try addRows(where: "i % 100 = 0")
        let outcomes = Mutex<[Bool]>([])
        let eraser = PlainEraser(onMatch: { [path] in
            let options = SQLiteOptions(mode: .readWrite, busyTimeout: .zero)
            do {
                let other = try SQLiteConnection(path: path, options: options)
                _ = try other.integer("SELECT count(*) FROM exchanges")
                outcomes.withLock { $0.append(false) }
            } catch {
                outcomes.withLock { $0.append((error as? SQLiteError)?.isBusy ?? false) }
            }
        })
        _ = try StoreErasure(path, .values { eraser }).run()
        let refused = outcomes.withLock { $0 }
        #expect(refused.count == Self.rows / 100)
        #expect(refused.allSatisfy { $0 })
    }

    @Test("changes lines of a recording, and keeps the order of all")
    func lines() throws {
        var exchanges = Exchange.examples(4000)
        for number in stride(from: 0, to: 4000, by: 7) { exchanges[number].tags = ["key": secret] }
        exchanges[3999].tags = ["key": secret]
        let recording = try folder.write(try Recorded.bytes(exchanges), to: "a.ndjson")
        let before = try folder.bytes("a.ndjson").split(separator: 0x0A).map(Array.init)
        let erasure = try StoreErasure(recording, .values { PlainEraser(joinedNames: 1) })
        let preview = try erasure.preview()
        let report = try erasure.run()
        #expect(report.places.map(\.count) == preview.places.map(\.count))
        for names in [preview.joinedNames, report.joinedNames] {
            #expect(names.map(\.place) == ["lines"])
            // Each line has one value.
            #expect(names.map(\.count) == report.places.map(\.count))
        }
        let after = try folder.bytes("a.ndjson").split(separator: 0x0A).map(Array.init)
        let expected = before.map { line in
            Array(
                String(decoding: line, as: UTF8.self).replacing(secret, with: "[erased]").utf8
            )
        }
        #expect(after == expected)
        #expect(before != expected)
    }
}
