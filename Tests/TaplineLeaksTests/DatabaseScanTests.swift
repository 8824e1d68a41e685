// SPDX-License-Identifier: MIT

import Glibc
import TaplineCodings
import TaplineSQL
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineLeaks

/// Makes a symbolic link; returns 0 on success.
func makeLink(_ target: String, _ path: String) -> Int32 { unsafe symlink(target, path) }

@Suite("Databases")
struct DatabaseScanTests {
    private func leaks(_ path: String, unread: inout [String]) throws -> [String] {
        var found: [String] = []
        var problems: [String] = []
        let scan = try LeakScan(for: try values(secret), detectors: nil) { event in
            switch event {
            case .leak(let leak):
                let place = leak.place.path.map { "\($0) \(leak.place.row ?? 0)" } ?? "raw"
                found.append(([place] + leak.codings).joined(separator: " "))
            case .unread(_, let reason), .skipped(_, let reason): problems.append(reason)
            }
        }
        scan.scan(path)
        unread = problems
        return found
    }

    private func leaks(_ path: String) throws -> [String] {
        var unread: [String] = []
        let found = try leaks(path, unread: &unread)
        #expect(unread == [])
        return found
    }

    private func database(_ path: String, _ sql: String) throws -> SQLiteConnection {
        let database = try SQLiteConnection(path: path)
        try database.execute(sql)
        return database
    }

    @Test("Each text and blob of each table is scanned, compressed or not")
    func everyValue() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let database = try database(
            path,
            """
            CREATE TABLE one (a, b); CREATE TABLE "t""wo" (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
            INSERT INTO one VALUES (1, '\(secret)'), ('x', x'00'), ('\(secret)', NULL);
            INSERT INTO "t""wo" VALUES ('k', '{"request":{"url":"\(secret)"}}');
            """
        )
        let text = Array(String(repeating: "some text, ", count: 20).utf8) + Array(secret.utf8)
        let packed = try coded(text, .deflate)
        try database.cached("INSERT INTO one VALUES (?, NULL)").bind(1, blob: packed.span)
        try database.cached("INSERT INTO one VALUES (?, NULL)").run()
        try database.close()
        let found = try leaks(path).filter { !$0.hasPrefix("raw") }
        #expect(found == ["one.b 1", "one.a 3", "one.a 4 deflate", "t\"wo.v.request.url 1"])
    }

    @Test("A database with a body beyond the limits of decoding is not clean")
    func limits() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let blanks = String(repeating: " ", count: 20_000)
        let body = base64(try coded(Array("\(blanks)\(secret)".utf8), .brotli))
        try database(
            path,
            """
            CREATE TABLE one (a);
            INSERT INTO one VALUES ('{"request":{"body":{"base64":"\(body)","coding":"br"}}}');
            """
        ).close()
        let index = ValueIndex(try values(secret))
        var scanners = UnitScanners(index, nil)
        scanners.limits = UnitScanner.Limits(maxDepth: 8, maxDecodedBytes: 10_000)
        var unread: [String] = []
        let scan = try LeakScan(scanners) { event in
            if case .unread(_, let reason) = event { unread.append(reason) }
        }
        scan.scan(path)
        #expect(scan.totals.leaks == 0)
        #expect(unread == [UnitScanner.limitReason])
        #expect(scan.totals.unread == 1)
    }

    @Test("The remaining bytes of deleted rows are scanned")
    func deleted() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let database = try database(
            path,
            "PRAGMA secure_delete = off; CREATE TABLE one (a); INSERT INTO one VALUES ('\(secret)'), (2)"
        )
        try database.execute("DELETE FROM one WHERE a <> 2")
        try database.close()
        #expect(try leaks(path) == ["raw"])
    }

    @Test("A value that spans several pages is found")
    func overflow() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let filler = String(repeating: "x", count: 4000)
        let database = try database(path, "PRAGMA page_size = 1024; CREATE TABLE one (a)")
        // For some of these lengths, a page ends within the value.
        for length in stride(from: 0, to: 1100, by: 7) {
            let text = filler + secret + filler.prefix(2000 + length)
            try database.execute("INSERT INTO one VALUES ('\(text)')")
        }
        try database.close()
        let found = try leaks(path)
        #expect(found.filter { $0.hasPrefix("one.a") }.count == 158)
        #expect(found.filter { $0 == "raw" }.count < 158)
    }

    @Test("Data that a crash left in the log is found, and the folder is not changed")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        let crashed = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let database = try database(
            path,
            "PRAGMA journal_mode = wal; CREATE TABLE one (a); INSERT INTO one VALUES ('\(secret)')"
        )
        for name in try FileSystem.names(in: folder.path) {
            try crashed.write(try bytes("\(folder.path)/\(name)"), to: name)
        }
        try database.close()
        for withIndex in [true, false] {
            if !withIndex { try FileSystem.remove(crashed.path + "/a.db-shm") }
            let names = try FileSystem.names(in: crashed.path).sorted()
            let log = try bytes(crashed.path + "/a.db-wal")
            #expect(try leaks(crashed.path + "/a.db").sorted() == ["one.a 1", "raw"])
            #expect(try leaks(crashed.path).sorted() == ["one.a 1", "raw"])
            #expect(try FileSystem.names(in: crashed.path).sorted() == names)
            #expect(try bytes(crashed.path + "/a.db-wal") == log)
        }
    }

    @Test("A database in a compressed file is opened")
    func compressed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        try database(path, "CREATE TABLE one (a); INSERT INTO one VALUES ('\(secret)')").close()
        let packed = try folder.write(try coded(try bytes(path), .gzip), to: "b.db.gz")
        #expect(try leaks(packed).sorted() == ["one.a 1", "raw gzip"])
    }

    @Test("A damaged database is not clean")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        try database(path, "CREATE TABLE one (a); INSERT INTO one VALUES ('\(secret)')").close()
        var damaged = try bytes(path)
        for index in 100..<200 { damaged[index] = 0xFF }
        var unread: [String] = []
        let found = try leaks(try folder.write(damaged, to: "b.db"), unread: &unread)
        #expect(found == ["raw"])
        #expect(unread.count == 1)
        let cut = try folder.write(Array(try bytes(path).prefix(600)), to: "c.db")
        _ = try leaks(cut, unread: &unread)
        #expect(unread.count == 1)
    }

    @Test("Many rows are scanned by several threads, and reported in order")
    func manyRows() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        try database(
            path,
            """
            CREATE TABLE one (rowid TEXT, b);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
            INSERT INTO one SELECT 'text', iif(i % 1024 IN (0, 1, 777) OR i = 40000,
              '{"a":"\(secret)"}', '{"n":' || i || '}') FROM n;
            """
        ).close()
        let numbers = (1...40_000).filter { [0, 1, 777].contains($0 % 1024) || $0 == 40_000 }
        let found = try leaks(path).filter { $0 != "raw" }
        #expect(found == numbers.map { "one.b[0] \($0)" })
    }

    @Test("Numbers are scanned if a value may be one")
    func numbers() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        try database(
            path,
            "CREATE TABLE one (a, b); INSERT INTO one VALUES (8812345678, 1.5), (7, -98765.4321)"
        ).close()
        func places(_ text: String) throws -> [String] {
            var found: [String] = []
            let scan = try LeakScan(for: try values(text), detectors: nil) { event in
                if case .leak(let leak) = event, let path = leak.place.path { found.append(path) }
            }
            scan.scan(path)
            return found
        }
        #expect(try places("12345678") == ["one.a"])
        #expect(try places("-98765.43") == ["one.b"])
        #expect(try places("aaaa") == [])
    }

    @Test("A part that exceeds the limits of decoding is not clean")
    func partsBeyondLimits() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let database = try database(path, "CREATE TABLE one (a)")
        let packed = try coded([UInt8](repeating: 0x20, count: 1 << 20), .gzip)
        try database.cached("INSERT INTO one VALUES (?)").bind(1, blob: packed.span)
        try database.cached("INSERT INTO one VALUES (?)").run()
        try database.close()
        var scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        #expect(try !DatabaseScan(path, .immutable).run(scanners) { _ in })
        scanners.limits.maxDecodedBytes = 1000
        #expect(try DatabaseScan(path, .immutable).run(scanners) { _ in })
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let file = try File(path, for: .read)
        while try file.read(appendingTo: &bytes, atMost: 1 << 16) > 0 {}
        return bytes
    }
}
