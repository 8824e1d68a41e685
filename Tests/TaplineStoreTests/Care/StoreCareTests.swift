// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import SQLiteSink
@testable import TaplineStore

@Suite("Care of a database")
struct StoreCareTests {
    let folder: TemporaryFolder
    let path: String

    /// Three exchanges with one body each, of which two are files.
    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
        var exchanges = [2000, 200, 3000].enumerated().map { number, size in
            Exchange.example(number, body: String(repeating: "\(number)", count: size))
        }
        exchanges[2].request.authority = "other.test"
        try Written.database(exchanges, at: path) { $0.inlineBodyMax = 1000 }
    }

    private func verify() throws -> (result: StoreVerification, messages: [String]) {
        let messages = Messages()
        let result = try StoreCare(path).verify { messages.list.append($0) }
        return (result, messages.list)
    }

    private func change(_ sql: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(sql)
        try connection.close()
    }

    /// The paths of the files of bodies, smallest first.
    private func files() throws -> [String] {
        var files: [(path: String, size: Int)] = []
        try StoreCare(path).forEachFile { path, _, _ in
            files.append((path, try FileSystem.status(of: path)?.size ?? 0))
        }
        return files.sorted { $0.size < $1.size }.map(\.path)
    }

    @Test("measures sizes by kind and host")
    func info() throws {
        let info = try StoreCare(path).info()
        #expect(info.schema == 3)
        #expect(info.exchanges == 3)
        #expect(info.first == Exchange.example(0).started)
        #expect(info.last == Exchange.example(2).started)
        #expect(info.files.count == 2)
        #expect(info.files.bytes == 5000)
        #expect(info.database > 0)
        #expect(info.kinds.map(\.bytes).reduce(0, +) == info.database - info.free)
        #expect(info.kinds.map(\.kind).contains(.rows))
        let names = info.hosts.map { String(decoding: $0.name, as: UTF8.self) }
        #expect(names == ["http://other.test", "http://shop.test"])
        #expect(info.hosts.map(\.exchanges) == [1, 2])
        #expect(info.hosts.map(\.bodies) == [3000, 2200])
        #expect(info.hosts.allSatisfy { $0.heads > 0 })
    }

    @Test("measures bodies whose damaged rows state any size")
    func damagedSizes() throws {
        try change("UPDATE bodies SET size = \(Int64.max)")
        let info = try StoreCare(path).info()
        #expect(info.hosts.map(\.bodies) == [.max, .max])
        #expect(info.hosts.map(\.exchanges).sorted() == [1, 2])
        #expect(try verify().result.problems == 3)
    }

    @Test("finds nothing in a sound database")
    func sound() throws {
        let (result, messages) = try verify()
        #expect(messages.isEmpty)
        #expect(result == StoreVerification(exchanges: 3, bodies: 3, files: 2, problems: 0))
    }

    @Test("finds bodies that have changed, and files that are missing or belong to no row")
    func bodies() throws {
        let files = try files()
        try FileSystem.remove(files[0])
        var bytes = try TestFiles.bytes(of: files[1])
        bytes[7] ^= 1
        try File(files[1], for: .replace).write(bytes.span)
        try change("UPDATE bodies SET content = replace(content, '1', '2') WHERE size = 200")
        let orphan = "\(path)-bodies/ab/ab\(String(repeating: "0", count: 62))"
        try FileSystem.makeFolder("\(path)-bodies/ab")
        try File(orphan, for: .create).write([UInt8](repeating: 1, count: 2).span)
        // A new file may belong to a row that a writer has not committed yet.
        #expect(try verify().result.problems == 3)
        _ = try command("touch", ["-d", "2020-01-01", orphan])
        let (result, messages) = try verify()
        #expect(result.problems == 4)
        #expect(result.bodies == 3)
        #expect(result.files == 2)
        #expect(messages.count == 4)
        #expect(messages.filter { $0.contains("does not match its hash") }.count == 2)
        #expect(messages.filter { $0.contains("its file is missing") }.count == 1)
        #expect(messages.last == "'\(orphan)' belongs to no row")
    }

    @Test("finds rows that refer to nothing or cannot be understood")
    func rows() throws {
        try change(
            """
            DELETE FROM bodies WHERE size = 200;
            UPDATE exchanges SET path = 77 WHERE seq = 1;
            UPDATE exchanges SET fields = '{"request":7}' WHERE seq = 3;
            """
        )
        let (result, messages) = try verify()
        #expect(result.problems == 3)
        #expect(
            messages.contains("'exchanges' refers 1 times to rows of 'bodies' that do not exist")
        )
        #expect(
            messages.contains("'exchanges' refers 1 times to rows of 'paths' that do not exist")
        )
        #expect(messages.contains { $0.contains("row 3: wrong value of 'request'") })
    }

    @Test("reports a damaged file as problems")
    func damaged() throws {
        try Written.database((10..<2000).map { Exchange.example($0) }, at: path)
        var bytes = try TestFiles.bytes(of: path)
        for index in stride(from: 40_000, to: bytes.count, by: 11) { bytes[index] ^= 0x55 }
        try File(path, for: .replace).write(bytes.span)
        do {
            let (result, messages) = try verify()
            #expect(result.problems > 0)
            #expect(!messages.isEmpty)
        } catch let error as StoreError {
            // The schema itself may be among what is damaged.
            #expect(error.code == .damaged)
        }
    }

    @Test("goes on where a table is damaged")
    func damagedTable() throws {
        let connection = try SQLiteConnection(path: path)
        let page = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'paths'")
        let size = Int(try #require(try connection.integer("PRAGMA page_size")))
        let start = (Int(try #require(page)) - 1) * size
        try connection.close()
        var bytes = try TestFiles.bytes(of: path)
        for index in start..<(start + size) { bytes[index] = 0x55 }
        try File(path, for: .replace).write(bytes.span)
        let (result, messages) = try verify()
        #expect(result.problems >= 2)
        #expect(messages.filter { $0.contains("database disk image is malformed") }.count == 1)
        #expect(result.exchanges == 3)
        #expect(result.bodies == 3)
        #expect(result.files == 2)
    }

    @Test("shows and checks the full-text index")
    func textIndex() throws {
        #expect(try StoreCare(path).info().textIndex == nil)
        #expect(try verify().result.textIndex == nil)
        try TextIndex.build(path, .words, progress: QueryProgress())
        let index = try #require(try StoreCare(path).info().textIndex)
        #expect(index.condition == .valid)
        #expect(index.kind == .words)
        #expect(index.bytes > 0)
        let sound = try verify()
        #expect(sound.messages.isEmpty)
        #expect(sound.result.textIndex == .valid)
        let connection = try SQLiteConnection(path: index.path)
        try connection.execute("UPDATE blocks SET content = zeroblob(length(content))")
        try connection.close()
        let damaged = try verify()
        #expect(damaged.result.textIndex == .damaged)
        #expect(damaged.result.problems == 1)
        #expect(
            damaged.messages == ["the full-text index '\(index.path)' is damaged; build it again"]
        )
        try change("UPDATE exchanges SET status = 404 WHERE seq = 1")
        #expect(try StoreCare(path).info().textIndex?.condition == .outOfDate)
        let old = try verify()
        #expect(old.result.textIndex == .outOfDate)
        #expect(old.result.problems == 0)
    }

    @Test("needs a database")
    func recording() throws {
        try folder.write(try Recorded.bytes(Exchange.examples(2)), to: "traffic.ndjson")
        let error = #expect(throws: StoreError.self) {
            _ = try StoreCare(folder("traffic.ndjson"))
        }
        #expect(error?.code == .notDatabase)
    }
}

/// Collects messages from a closure that may be kept.
private final class Messages {
    var list: [String] = []
}
