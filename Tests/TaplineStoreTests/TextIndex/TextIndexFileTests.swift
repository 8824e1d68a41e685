// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("The file of a full-text index")
struct TextIndexFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let index: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
        index = TextIndexFile.path(of: path)
        var exchanges = Exchange.examples(200)
        exchanges[40].request.target = "/needle"
        try Written.database(exchanges, at: path)
        // A gap between two segments.
        let connection = try SQLiteConnection(path: path)
        try connection.execute("UPDATE exchanges SET seq = seq + 10000 WHERE seq > 100")
        try connection.close()
        try TextIndex.build(path, nil, progress: QueryProgress())
    }

    /// Asks for the needle; returns the rows and the warnings.
    private func ask() throws -> (rows: [Int64], warnings: [String]) {
        var warnings: [String] = []
        let store = try Store(path) { warnings.append($0) }
        let filter = try parse(#"any contains "needle""#)
        let page = try store.exchanges(matching: filter, limit: 10, parts: [])
        #expect(try store.count(filter) == page.exchanges.count)
        #expect(store.problems == 0)
        return (page.exchanges.map(\.key.number), warnings)
    }

    private func change(_ sql: String) throws {
        let connection = try SQLiteConnection(path: index)
        try connection.execute(sql)
        try connection.close()
    }

    @Test(
        "is ignored with a warning if its content is damaged",
        arguments: [
            "UPDATE blocks SET content = zeroblob(length(content))", "DELETE FROM blocks",
            "UPDATE blocks SET content = (SELECT b.content FROM blocks b WHERE b.key <> blocks.key)",
            "UPDATE segments SET content = (SELECT s.content FROM segments s ORDER BY id DESC)",
            "DELETE FROM segments WHERE id = 1", "DELETE FROM segments WHERE id = 2",
            "UPDATE state SET content = substr(content, 1, 20)", "DELETE FROM state",
            "UPDATE state SET content = zeroblob(9)", "DROP TABLE blocks", "DROP TABLE segments",
            "PRAGMA application_id = 1",
        ]
    )
    func damagedContent(sql: String) throws {
        #expect(try ask().warnings.isEmpty)
        try change(sql)
        let (rows, warnings) = try ask()
        #expect(rows == [41])
        #expect(warnings.count == 1, "\(warnings)")
        #expect(warnings.first?.contains("the full-text index") == true)
        // It is built again from the start.
        try TextIndex.build(path, nil, progress: QueryProgress())
        let again = try ask()
        #expect(again.rows == [41])
        #expect(again.warnings.isEmpty, "\(again.warnings)")
    }

    @Test("is ignored with a warning if the file is cut, foreign or empty")
    func damagedFile() throws {
        let whole = try TestFiles.bytes(of: index)
        let contents: [[UInt8]] = [
            Array(whole.prefix(20_000)), Array("not a database at all, but text".utf8), [],
            Array(repeating: 0, count: 40_000), try TestFiles.bytes(of: path),
        ]
        for content in contents {
            try FileSystem.remove(index)
            try File(index, for: .create).write(content.span)
            let (rows, warnings) = try ask()
            #expect(rows == [41])
            #expect(warnings.count == 1, "\(content.count): \(warnings)")
            #expect(try TextIndex.status(path)?.condition != .valid)
        }
        try TextIndex.build(path, nil, progress: QueryProgress())
        #expect(try ask().warnings.isEmpty)
    }

    @Test("never gives a wrong answer, whichever byte is damaged")
    func bytes() throws {
        let whole = try TestFiles.bytes(of: index)
        var random = Random(seed: 3)
        for _ in 0..<100 {
            var content = whole
            let position = random.below(content.count)
            content[position] ^= 1 << UInt8(random.below(8))
            try FileSystem.remove(index)
            try File(index, for: .create).write(content.span)
            #expect(try ask().rows == [41], "byte \(position)")
        }
    }
}
