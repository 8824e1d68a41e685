// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("The ids that several databases have")
struct CommonIDsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a database of the examples with some numbers, and opens it.
    private func reader(_ name: String, _ numbers: some Sequence<Int>) throws -> DatabaseReader {
        let path = folder(name)
        try Written.database(numbers.map { Exchange.example($0) }, at: path)
        return try #require(try DatabaseReader(path))
    }

    private func rows(_ numbers: RowNumbers) -> [Int64] {
        var found: [Int64] = []
        numbers.forEach { found.append($0) }
        return found
    }

    @Test("are copies in all databases but the first")
    func copies() throws {
        let readers = [
            try reader("a.db", 0..<50), try reader("b.db", [60, 10, 49, 50, 70]),
            try reader("c.db", [70, 3, 80, 10]),
        ]
        var ids = try CommonIDs(readers)
        let copies = try ids.find(nil)
        #expect(copies.map(rows) == [[], [2, 3], [1, 2, 4]])
    }

    @Test("are not searched where only one database has any")
    func skipped() throws {
        let apart = [try reader("a.db", 200..<600), try reader("b.db", 0..<200)]
        var ids = try CommonIDs(apart)
        #expect(try ids.find(nil).allSatisfy(\.isEmpty))
        #expect(ids.steps < 50, "\(ids.steps)")
        // Ten blocks of sixty, each of which one of the databases has.
        let turns = (0..<600).filter { $0 / 60 % 2 == 0 }
        let others = (0..<600).filter { $0 / 60 % 2 == 1 }
        var blocks = try CommonIDs([try reader("c.db", turns), try reader("d.db", others + [0])])
        let copies = try blocks.find(nil)
        #expect(copies.map(rows) == [[], [301]])
        #expect(blocks.steps < 250, "\(blocks.steps)")
        var single = try CommonIDs([apart[0]])
        #expect(try single.find(nil).map(rows) == [[]])
    }

    @Test("are limited, and searching them can be cancelled")
    func limited() throws {
        let readers = [try reader("a.db", 0..<600), try reader("b.db", 0..<600)]
        var few = try CommonIDs(readers, maxCopies: 599)
        let error = #expect(throws: StoreError.self) { _ = try few.find(nil) }
        #expect(error?.code == .tooManyCopies)
        #expect(error?.description.contains("'--each-copy'") == true)
        var enough = try CommonIDs(readers, maxCopies: 600)
        #expect(try enough.find(nil)[1].count == 600)
        let progress = QueryProgress()
        progress.cancel()
        var cancelled = try CommonIDs(readers)
        #expect(throws: QueryCancelled.self) { _ = try cancelled.find(progress) }
    }
}
