// SPDX-License-Identifier: MIT

import TaplineSQL
import Testing

@Suite("Ranges of row numbers")
struct RowNumberRangesTests {
    private func connection(_ numbers: [Int64]) throws -> SQLiteConnection {
        let connection = try SQLiteConnection()
        try connection.execute("CREATE TABLE \"a b\" (x)")
        try connection.transaction {
            let insert = try connection.prepare("INSERT INTO \"a b\" (rowid, x) VALUES (?1, 1)")
            for number in numbers {
                try insert.bind(1, integer: number)
                try insert.run()
            }
        }
        return connection
    }

    /// Reads all ranges, of each at most a number of rows; returns the numbers and the ranges.
    private func read(
        _ connection: SQLiteConnection,
        most: Int = .max
    ) throws -> (numbers: [Int64], ranges: Int) {
        var ranges = RowNumberRanges(table: "\"a b\"", column: "rowid")
        var numbers: [Int64] = []
        var count = 0
        let rows = try connection.prepare(
            "SELECT rowid FROM \"a b\" WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid"
        )
        while let range = try ranges.next(connection) {
            count += 1
            try rows.bind(1, integer: range.lowerBound)
            try rows.bind(2, integer: range.upperBound)
            var read = 0
            var rest: ClosedRange<Int64>?
            while rest == nil, try rows.step() {
                numbers.append(rows.integer(0))
                read += 1
                if read == most, rows.integer(0) < range.upperBound {
                    rest = rows.integer(0) + 1...range.upperBound
                }
            }
            rows.reset()
            ranges.noteRead(range, rows: read, leaving: rest)
        }
        return (numbers, count)
    }

    @Test("have each row once, and are of moderate size")
    func dense() throws {
        let connection = try connection(Array(1...30_000))
        let (numbers, ranges) = try read(connection)
        #expect(numbers == Array(1...30_000))
        #expect(8...30 ~= ranges)
    }

    @Test("grow where few numbers have rows, up to both ends of the numbers")
    func sparse() throws {
        var all: [Int64] = [.min, .min + 1, -5, 0, 1, .max - 1, .max]
        for index in 0..<2000 { all.append(Int64(index) &* 0x7F4A_7C15_9E37_79B9) }
        let sorted = Set(all).sorted()
        let (numbers, ranges) = try read(try connection(sorted))
        #expect(numbers == sorted)
        #expect(ranges < 200)
    }

    @Test("come again with what was not read of them")
    func rest() throws {
        let connection = try connection(Array(1...5_000) + Array(90_000...90_300))
        let (numbers, ranges) = try read(connection, most: 100)
        #expect(numbers.sorted() == Array(1...5_000) + Array(90_000...90_300))
        #expect(ranges >= 53)
    }

    @Test("are none in an empty table")
    func empty() throws {
        #expect(try read(try connection([])).ranges == 0)
    }
}
