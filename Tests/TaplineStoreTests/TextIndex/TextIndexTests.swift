// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import SQLiteSink
@testable import TaplineStore

/// Queries with a full-text index find what they find without one.
@Suite("A full-text index")
struct TextIndexTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func build(_ kind: TextIndexKind? = nil) throws {
        try TextIndex.build(path, kind, progress: QueryProgress())
    }

    private func numbers(_ text: String, warn: (String) -> Void = { _ in }) throws -> [Int64] {
        var warnings: [String] = []
        let store = try Store(path) { warnings.append($0) }
        let filter = try parse(text)
        let page = try store.exchanges(matching: filter, limit: .max, parts: [])
        for warning in warnings { warn(warning) }
        return page.exchanges.map(\.key.number)
    }

    /// The numbers of the matches, as lists of the inspector get them.
    private func listed(_ text: String, warn: (String) -> Void = { _ in }) throws -> [Int64] {
        var warnings: [String] = []
        var numbers: [Int64] = []
        let store = try Store(path) { warnings.append($0) }
        try store.forEachNumber(matching: try parse(text), after: .min, through: .max) {
            numbers += $0
        }
        for warning in warnings { warn(warning) }
        return numbers
    }

    /// What the index says about a filter.
    private func lookup(_ text: String) throws -> TextLookup {
        let content = try Store(path).content
        guard case .database(let store) = content else { return .none }
        let query = RowQuery(StoreQuery(try parse(text)), schema: store.reader.schema)
        return try store.textLookup(query)
    }

    private func use(of text: String) throws -> String {
        let answer = try lookup(text)
        return switch answer {
        case .none: "none"
        case .found: "found"
        case .tooMany(let limit, _): "more than \(limit)"
        case .unusable(let reason): reason
        }
    }

    private func found(_ text: String) throws -> [Int64]? {
        let answer = try lookup(text)
        if case .found(let matches, _) = answer { return matches.numbers }
        return nil
    }

    private func change(_ sql: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(sql)
        try connection.close()
    }

    @Test("finds the rows of a rare text, of several segments", arguments: TextIndexKind.allCases)
    func rare(kind: TextIndexKind) throws {
        var exchanges = Exchange.examples(9000)
        for number in [17, 4095, 4096, 8999] {
            exchanges[number].request.fields.append(name: "X-Note", value: "a needle of \(number)")
        }
        try Written.database(exchanges, at: path)
        #expect(try TextIndex.status(path) == nil)
        try build(kind)
        let status = try #require(try TextIndex.status(path))
        #expect(status.condition == .valid && status.kind == kind && status.missing == 0)
        let expected: [Int64] = [9000, 4097, 4096, 18]
        #expect(try found(#"any contains "needle""#) == expected.reversed())
        #expect(try numbers(#"any contains "needle""#) == expected)
        #expect(try listed(#"any contains "needle""#) == expected)
        let header = #"request.header["x-note"] contains "needle" and id exists"#
        #expect(try numbers(header) == expected)
        #expect(try numbers(#"any contains "needle of 4096""#) == [4097])
        let store = try Store(path)
        let filter = try parse(#"any contains "needle" or url contains "/items/77""#)
        let all = exchanges.indices.filter { filter.matches(exchanges[$0]) }.map { Int64($0) + 1 }
        #expect(try store.count(filter) == all.count)
        let oldest = try store.exchanges(matching: filter, order: .oldestFirst, limit: .max)
        #expect(oldest.exchanges.map(\.key.number) == all)
        let first = try store.exchanges(matching: filter, limit: 3, parts: [])
        #expect(first.exchanges.map(\.key.number) == Array(all.reversed().prefix(3)))
        let next = try store.exchanges(matching: filter, after: first.next, limit: 3, parts: [])
        #expect(next.exchanges.map(\.key.number) == Array(all.reversed().dropFirst(3).prefix(3)))
        let sort = StoreSort(try FieldReference.list("path")[0], isDescending: false)
        let sorted = try store.exchanges(matching: filter, sort: sort, limit: .max)
        #expect(Set(sorted.exchanges.map(\.key.number)) == Set(all))
        #expect(try store.stats(StatsQuery(filter)).total.count == all.count)
    }

    @Test("is not asked for frequent texts, for which a scan is faster")
    func frequent() throws {
        try Written.database(Exchange.examples(3000), at: path)
        try build()
        #expect(try use(of: #"any contains "items""#) == "more than 1024")
        #expect(try numbers(#"any contains "items""#).count == 3000)
        #expect(try use(of: "status == 200") == "none")
    }

    @Test("covers bodies that are coded, missing or malformed", arguments: TextIndexKind.allCases)
    func odd(kind: TextIndexKind) throws {
        var random = Random(seed: 5)
        var exchanges = try (0..<60).map { try RandomExchange.make($0, &random) }
        let large = String(repeating: "large ", count: 20_000) + "needle"
        exchanges.append(.example(100, body: large))
        exchanges.append(.example(101, body: "the needle"))
        try Written.database(exchanges, at: path) { $0.inlineBodyMax = 10_000 }
        try FileSystem.move(path + "-bodies", to: path + "-away")
        try change("UPDATE exchanges SET extra = '{' WHERE seq = 5")
        try build(kind)
        #expect(try found(#"any contains "needle""#)?.contains(5) == true)
        #expect(try numbers(#"any contains "needle""#) == [62])
        // A file that comes back changes no row.
        try FileSystem.move(path + "-away", to: path + "-bodies")
        #expect(try numbers(#"any contains "needle""#) == [62, 61])
        #expect(try numbers(#"any contains "needle" and url exists"#).count == 2)
    }

    @Test("is continued, and newer exchanges are read until then")
    func newer() throws {
        try Written.database(Exchange.examples(3000), at: path)
        try build()
        try Written.database((3000..<5000).map { Exchange.example($0) }, at: path)
        let text = #"url contains "/items/4567""#
        #expect(try TextIndex.status(path)?.missing == 2000)
        #expect(try found(text) == [])
        #expect(try numbers(text) == [4568])
        try build()
        #expect(try TextIndex.status(path)?.missing == 0)
        #expect(try found(text) == [4568])
        for number in 5000..<5010 {
            try Written.database([Exchange.example(number)], at: path)
            try build()
        }
        #expect(try numbers(#"url contains "/items/5009""#) == [5010])
        #expect(try numbers(#"url contains "/items/456""#).count == 11)
        // Another kind begins again.
        try build(.words)
        #expect(try TextIndex.status(path)?.kind == .words)
        #expect(try numbers(text) == [4568])
    }

    @Test(
        "is out of date once any program has changed an indexed row",
        arguments: [
            #"UPDATE exchanges SET target = '/needle' WHERE seq = 3"#,
            #"UPDATE exchanges SET seq = 100 WHERE seq = 3; "#
                + #"UPDATE exchanges SET fields = '{"request":[["A","needle"]]}' WHERE seq = 100"#,
            #"UPDATE bodies SET content = 'needle', size = 6"#,
            #"UPDATE hosts SET authority = 'needle'"#,
            "DELETE FROM exchanges WHERE seq = 20",
        ]
    )
    func stale(sql: String) throws {
        let body = String(repeating: "body ", count: 30)
        try Written.database((0..<20).map { Exchange.example($0, body: body) }, at: path)
        try build()
        #expect(try found(#"any contains "needle""#) == [])
        try change(sql)
        // A new row takes the number of the last one that was deleted.
        var exchange = Exchange.example(50, body: "needle")
        exchange.request.target = "/needle"
        try Written.database([exchange], at: path)
        var warnings: [String] = []
        let all = try numbers(#"any contains "needle""#) { warnings.append($0) }
        #expect(try listed(#"any contains "needle""#) { warnings.append($0) } == all)
        try FileSystem.move(TextIndexFile.path(of: path), to: folder("moved"))
        #expect(try all == numbers(#"any contains "needle""#))
        #expect(!all.isEmpty)
        #expect(warnings.count == 2)
        #expect(warnings.allSatisfy { $0.contains("out of date") })
        try build()
        #expect(try found(#"any contains "needle""#) == all.reversed())
    }

    @Test("of another store, or of a copy made before it, is not used")
    func other() throws {
        try Written.database(Exchange.examples(10), at: path)
        try build()
        let copy = folder("copy.db")
        let content = try TestFiles.bytes(of: path)
        try File(copy, for: .create).write(content.span)
        try Written.database([Exchange.example(10)], at: path)
        try build()
        try FileSystem.move(copy, to: path)
        try Written.database([Exchange.example(11, body: "needle")], at: path)
        #expect(try numbers(#"any contains "needle""#) == [11])
        #expect(try TextIndex.status(path)?.condition == .outOfDate)
    }

    @Test("stays valid if the oldest rows are removed, and if other columns change")
    func removed() throws {
        try Written.database(Exchange.examples(50), at: path)
        try build()
        try change("DELETE FROM exchanges WHERE seq <= 20; UPDATE exchanges SET source = 'x'")
        #expect(try TextIndex.status(path)?.condition == .valid)
        #expect(try found(#"url contains "/items/17""#) == [18])
        #expect(try numbers(#"url contains "/items/17""#) == [])
        #expect(try numbers(#"url contains "/items/30""#) == [31])
    }

    @Test("leaves nothing in the store or next to it when it is removed")
    func drop() throws {
        try Written.database(Exchange.examples(10), at: path)
        let before = try #require(try schema())
        #expect(try TextIndex.drop(path) == false)
        try build()
        #expect(try schema() != before)
        #expect(try TextIndex.drop(path))
        #expect(try schema() == before)
        let names = try FileSystem.names(in: folder.path)
        #expect(!names.contains { $0.contains("-index") })
        #expect(try TextIndex.status(path) == nil)
        #expect(try numbers(#"url contains "/items/7""#) == [8])
    }

    @Test("is removed by an erasure, and makes room for one of what is left")
    func erased() throws {
        try Written.database(Exchange.examples(10), at: path)
        try build(.words)
        let filter = try parse(#"url contains "/items/7""#)
        let report = try StoreErasure(path, .exchanges(filter)).run()
        #expect(report.droppedIndexes == [TextIndexFile.path(of: path)])
        let names = try FileSystem.names(in: folder.path)
        #expect(!names.contains { $0.contains("-index") })
        try build()
        #expect(try numbers(#"url contains "/items/7""#) == [])
        #expect(try numbers(#"url contains "/items/8""#) == [9])
    }

    private func schema() throws -> String? {
        let connection = try SQLiteConnection(path: path, options: SQLiteOptions(mode: .readOnly))
        return try connection.text(
            "SELECT group_concat(name || ifnull(sql, '')) FROM sqlite_schema"
        )
    }

    @Test("that was cancelled is continued")
    func cancelled() throws {
        try Written.database(Exchange.examples(9000), at: path)
        let progress = QueryProgress()
        progress.cancel()
        #expect(throws: QueryCancelled.self) {
            try TextIndex.build(path, nil, progress: progress)
        }
        #expect(try TextIndex.status(path)?.missing == 9000)
        #expect(try numbers(#"url contains "/items/8765""#) == [8766])
        try build()
        #expect(try found(#"url contains "/items/8765""#) == [8766])
    }

    @Test("belongs to databases only")
    func recordings() throws {
        let recording = try folder.write(Recorded.bytes(Exchange.examples(2)), to: "a.ndjson")
        for name in [recording, folder("none.db"), "-"] {
            #expect(throws: StoreError.self) {
                try TextIndex.build(name, nil, progress: QueryProgress())
            }
            #expect(throws: StoreError.self) { try TextIndex.drop(name) }
            #expect(throws: StoreError.self) { try TextIndex.status(name) }
        }
    }

    @Test("is not listed as a store of its folder or of a pattern")
    func files() throws {
        try Written.database(Exchange.examples(2), at: path)
        try build()
        #expect(try StoreFiles.resolve(folder.path) == [path])
        #expect(try StoreFiles.resolve(folder("traffic*")) == [path])
    }
}
