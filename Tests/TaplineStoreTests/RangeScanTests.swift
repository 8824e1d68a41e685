// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineQuery
import TaplineSQL
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

@Suite("Ranges of rows")
struct RangeScanTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func numbers(_ text: String?, _ order: StoreOrder, limit: Int? = nil) throws -> [Int64]
    {
        var numbers: [Int64] = []
        let filter = try text.map { try Filter($0) }
        try Store(path).forEach(StoreQuery(filter, order: order, limit: limit, parts: [])) {
            numbers.append($0.key.number)
        }
        return numbers
    }

    @Test(
        "are read by several threads in order",
        arguments: [StoreOrder.newestFirst, .oldestFirst]
    )
    func order(order: StoreOrder) throws {
        try Written.database(Exchange.examples(9000), at: path)
        var all = Array(Int64(1)...9000)
        if order == .newestFirst { all.reverse() }
        #expect(try numbers(nil, order) == all)
        // SQLite decides the first filter; memory decides the second one.
        let filter = try Filter(#"path ~ "[37]$""#)
        let exchanges = Exchange.examples(9000)
        let expected = all.filter { filter.matches(exchanges[Int($0) - 1]) }
        #expect(try numbers(#"path like "*3" or path like "*7""#, order) == expected)
        #expect(try numbers(#"path ~ "[37]$""#, order) == expected)
        #expect(try numbers(#"path ~ "[37]$""#, order, limit: 500) == Array(expected.prefix(500)))
        #expect(try Store(path).count(filter) == expected.count)
    }

    @Test("skip numbers without rows, however many")
    func gaps() throws {
        try Written.database(Exchange.examples(6), at: path)
        let wanted: [Int64] = [-5, 1, 2, 600, 1_000_000_000_000, .max - 1]
        let connection = try SQLiteConnection(path: path)
        for (old, new) in zip(1...6, wanted) {
            try connection.execute("UPDATE exchanges SET seq = \(new) WHERE seq = \(old)")
        }
        try connection.close()
        #expect(try numbers(nil, .oldestFirst).count == 6)
        #expect(try numbers(nil, .oldestFirst) == wanted.sorted())
        #expect(try numbers(nil, .newestFirst) == wanted.sorted().reversed())
        #expect(try Store(path).count(try Filter(#"path ~ ".""#)) == 6)
    }

    @Test("with large bodies are read again instead of kept")
    func large() throws {
        let text = String(repeating: "large ", count: 200_000)
        let exchanges = (0..<40).map { Exchange.example($0, body: "\($0) \(text)") }
        try Written.database(exchanges, at: path)
        var found: [Exchange] = []
        try Store(path).forEach(StoreQuery(order: .oldestFirst)) { found.append($0.exchange) }
        #expect(found == exchanges)
    }

    @Test("are found by an index after the first rows")
    func indexes() throws {
        var exchanges = Exchange.examples(9000)
        for number in [3, 40, 8990] { exchanges[number].request.authority = "rare.test" }
        try Written.database(exchanges, at: path)
        let text = #"host == "rare.test""#
        #expect(try numbers(text, .newestFirst) == [8991, 41, 4])
        #expect(try numbers(text, .newestFirst, limit: 2) == [8991, 41])
        #expect(try numbers(text, .oldestFirst, limit: 2) == [4, 41])
        #expect(try numbers(text + #" and path ~ ".""#, .newestFirst) == [8991, 41, 4])
        #expect(try Store(path).count(try Filter(text)) == 3)
        #expect(try Store(path).count(try Filter(text + #" and path ~ ".""#)) == 3)
        let reader = try #require(try DatabaseReader(path))
        func usesIndex(_ text: String) throws -> Bool {
            let query = StoreQuery(try Filter(text))
            return try IndexScan.isUseful(reader, for: RowQuery(query, schema: reader.schema))
        }
        #expect(try usesIndex(text))
        #expect(try !usesIndex(#"path ~ "x""#))
    }

    private struct Failure: Error {}

    @Test("end with the error of a thread, or of the receiver", .timeLimit(.minutes(1)))
    func errors() throws {
        try Written.database(Exchange.examples(9000), at: path)
        let reader = try #require(try DatabaseReader(path))
        let count = Atomic(0)
        let ranges = RowRanges([.all], isForward: true, maxSize: 1000)
        let failing = RangeScan<Int>(path, ranges, threads: 3) { _ in
            RangeScan.Work { _ in
                if count.add(1, ordering: .relaxed).newValue == 5 { throw Failure() }
                return 1
            }
        }
        #expect(throws: Failure.self) { try failing.run(reader) { _, _ in true } }
        let scan = RangeScan<Int>(path, ranges, threads: 3) { _ in RangeScan.Work { _ in 1 } }
        #expect(throws: Failure.self) {
            var seen = 0
            try scan.run(reader) { _, _ in
                seen += 1
                if seen == 4 { throw Failure() }
                return true
            }
        }
    }

    @Test("give what each thread has collected at the end")
    func collected() throws {
        try Written.database(Exchange.examples(9000), at: path)
        let reader = try #require(try DatabaseReader(path))
        let query = RowQuery(StoreQuery(order: .oldestFirst), schema: reader.schema)
        let ranges = RowRanges([.all], isForward: true, maxSize: 1000)
        let scan = RangeScan<Int>(path, ranges, threads: 3) { reader in
            let rows = RowReader(reader, query)
            var sum = 0
            return RangeScan.Work(
                read: { range in
                    sum += try rows.count(range)
                    return 0
                },
                finish: { sum }
            )
        }
        var total = 0
        try scan.run(reader) { sum, _ in
            total += sum
            return true
        }
        #expect(total == 9000)
    }

    @Test("give what each thread has collected when the scan is cancelled", .timeLimit(.minutes(1)))
    func cancelled() throws {
        try Written.database(Exchange.examples(9000), at: path)
        let reader = try #require(try DatabaseReader(path))
        let progress = QueryProgress()
        let count = Atomic(0)
        let ranges = RowRanges([.all], isForward: true, maxSize: 512)
        let scan = RangeScan<Int>(path, ranges, threads: 3, progress: progress) { _ in
            var sum = 0
            return RangeScan.Work(
                read: { _ in
                    sum += 1
                    count.add(1, ordering: .relaxed)
                    return 0
                },
                finish: { sum }
            )
        }
        var (results, sum) = (0, 0)
        #expect(throws: QueryCancelled.self) {
            try scan.run(reader) { number, _ in
                results += 1
                if results == 3 { progress.cancel() }
                sum += number
                return true
            }
        }
        #expect(sum >= 3)
        #expect(sum == count.load(ordering: .relaxed))
    }
}
