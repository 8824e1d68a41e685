// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("The ids of several recordings")
struct RecordedIDsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func recording(_ name: String, _ numbers: some Sequence<Int>) throws -> Store {
        let bytes = try Recorded.bytes(numbers.map { Exchange.example($0) })
        return try Store(folder.write(bytes, to: name))
    }

    private func contents(_ stores: [Store]) -> [RecordingStore] {
        stores.compactMap { store in
            if case .recording(let recording) = store.content { recording } else { nil }
        }
    }

    @Test("make each record count once, whichever recording is asked first, or only in part")
    func once() throws {
        let stores = [
            try recording("a.ndjson", [1, 2, 3]), try recording("b.ndjson", [3, 4, 4]),
            try recording("c.ndjson", [5, 1, 4]),
        ]
        let ids = try #require(RecordedIDs([], contents(stores)))
        #expect(try stores[2].key(of: Exchange.example(5).id) != nil)
        #expect(try stores[2].key(of: Exchange.example(4).id) == nil, "an earlier one has it")
        let counts = try [2, 0, 1].map { try stores[$0].count() }
        // A recording is not compared with itself.
        #expect(counts == [1, 3, 2])
        withExtendedLifetime(ids) {}
    }

    @Test("are compared with databases, which come first")
    func databases() throws {
        try Written.database([2, 3].map { .example($0) }, at: folder("a.db"))
        let database = try #require(try Store.database(folder("a.db")))
        guard case .database(let content) = database.content else { return }
        let store = try recording("a.ndjson", [1, 2, 3, 4])
        let ids = try #require(RecordedIDs([content], contents([store]), maxIDs: 0))
        #expect(try store.count() == 2, "one recording takes no memory for ids")
        withExtendedLifetime(ids) {}
    }

    @Test("are limited, and the error names the way out")
    func limited() throws {
        let stores = [try recording("a.ndjson", [1, 2]), try recording("b.ndjson", [2, 3])]
        let ids = try #require(RecordedIDs([], contents(stores), maxIDs: 2))
        #expect(try stores[0].count() == 2)
        let error = #expect(throws: StoreError.self) { try stores[1].count() }
        #expect(error?.description.contains("'--each-copy'") == true)
        withExtendedLifetime(ids) {}
    }
}
