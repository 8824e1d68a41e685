// SPDX-License-Identifier: MIT

import TaplineSQL
import Testing

@Suite struct SQLiteStatementTests {
    private let connection: SQLiteConnection

    init() throws {
        connection = try SQLiteConnection()
    }

    @Test func roundTripsEveryType() throws {
        let statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6")
        #expect(statement.parameterCount == 6)
        #expect(statement.columnCount == 6)
        try statement.bind(1, integer: .min)
        try statement.bind(2, real: -0.5)
        try statement.bind(3, text: "naïve\0text")
        try statement.bind(4, text: Array("bytes".utf8))
        try statement.bind(5, blob: [0, 255, 0])
        try statement.bindNull(6)
        #expect(try statement.step())
        #expect(statement.integer(0) == .min)
        #expect(statement.real(1) == -0.5)
        #expect(statement.text(2) == "naïve\0text")
        #expect(statement.text(3) == "bytes")
        #expect(statement.blob(4) == [0, 255, 0])
        #expect(statement.isNull(5))
        #expect(statement.text(5) == nil)
        #expect(statement.blob(5) == [])
        #expect((0..<6).map(statement.type) == [.integer, .real, .text, .text, .blob, .null])
        #expect(try !statement.step())
    }

    @Test func distinguishesEmptyFromNull() throws {
        let statement = try connection.prepare("SELECT ?1, ?2, typeof(?1), typeof(?2)")
        try statement.bind(1, text: "")
        try statement.bind(2, blob: [])
        #expect(try statement.step())
        #expect(statement.text(0) == "")
        #expect(statement.blob(1) == [])
        #expect(statement.text(2) == "text")
        #expect(statement.text(3) == "blob")
    }

    @Test func bindsManyAndLargeValues() throws {
        let statement = try connection.prepare(
            "SELECT " + (1...40).map { "?\($0)" }.joined(separator: ", ")
        )
        for round in 0..<3 {
            let values = (0..<40).map { index in
                [UInt8](repeating: UInt8(index + round), count: index * index * 60)
            }
            for (index, value) in values.enumerated() {
                try statement.bind(Int32(index + 1), blob: value)
            }
            #expect(try statement.step())
            for (index, value) in values.enumerated() {
                #expect(statement.blob(Int32(index)) == value)
            }
            statement.reset()
        }
    }

    @Test func copiesBoundValues() throws {
        let statement = try connection.prepare("SELECT ?1, ?2")
        var bytes = Array("first".utf8)
        try statement.bind(1, text: bytes)
        bytes = Array("other".utf8)
        try statement.bind(2, text: bytes)
        bytes.removeAll()
        #expect(try statement.step())
        #expect(statement.text(0) == "first")
        #expect(statement.text(1) == "other")
    }

    @Test func clearsBindingsOnReset() throws {
        let statement = try connection.prepare("SELECT ?1")
        try statement.bind(1, text: "once")
        #expect(try statement.step())
        statement.reset()
        #expect(try statement.step())
        #expect(statement.isNull(0))
    }

    @Test func storesInvalidUTF8Unchanged() throws {
        let statement = try connection.prepare("SELECT ?1, typeof(?1)")
        try statement.bind(1, text: [0x61, 0xff, 0x62])
        #expect(try statement.step())
        #expect(statement.text(1) == "text")
        #expect(statement.blob(0) == [0x61, 0xff, 0x62])
        #expect(statement.text(0) == "a\u{fffd}b")
        let count = statement.withText(0) { $0.count }
        #expect(count == 3)
    }

    @Test func returnsNullForMissingColumns() throws {
        let statement = try connection.prepare("SELECT 1 AS one")
        #expect(statement.text(0) == nil)
        #expect(try statement.step())
        for column in [-1, 1, Int32.max] as [Int32] {
            #expect(statement.isNull(column))
            #expect(statement.integer(column) == 0)
            #expect(statement.text(column) == nil)
            #expect(statement.blob(column) == [])
            #expect(statement.columnName(column) == nil)
        }
        #expect(statement.columnName(0) == "one")
    }

    @Test(arguments: [0, -1, 3, 40_000] as [Int32])
    func rejectsMissingParameters(index: Int32) throws {
        let statement = try connection.prepare("SELECT ?1, ?2")
        #expect(throws: SQLiteError.self) { try statement.bind(index, integer: 1) }
        #expect(throws: SQLiteError.self) { try statement.bind(index, text: "a") }
    }

    @Test func findsNamedParameters() throws {
        let statement = try connection.prepare("SELECT :id, @name, $x")
        #expect(statement.parameterIndex(":id") == 1)
        #expect(statement.parameterIndex("$x") == 3)
        #expect(statement.parameterIndex("id") == nil)
    }

    @Test(arguments: ["", "  ;", "SELECT 1; SELECT 2", "SELEC 1", "SELECT * FROM missing"])
    func rejectsTextsThatAreNotOneStatement(sql: String) {
        #expect(throws: SQLiteError.self) { _ = try connection.prepare(sql) }
    }

    @Test func acceptsTrailingSpace() throws {
        #expect(try connection.integer("SELECT 7; \n\t;") == 7)
    }

    @Test func resetsAfterAFailure() throws {
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
        for _ in 0..<2 {
            try insert.bind(1, integer: 1)
            #expect(throws: SQLiteError.self) { try insert.run() }
        }
        try insert.bind(1, integer: 1)
        try insert.bind(2, text: "a")
        try insert.run()
        #expect(connection.changes == 1)
        #expect(connection.lastInsertRowID == 1)
    }

    @Test func failsAfterItsConnectionHasClosed() throws {
        let statement = try connection.cached("SELECT ?1")
        try connection.close()
        #expect(throws: SQLiteError.self) { _ = try statement.step() }
        #expect(throws: SQLiteError.self) { try statement.run() }
        #expect(throws: SQLiteError.self) { try statement.bind(1, integer: 1) }
        #expect(throws: SQLiteError.self) { try statement.bind(1, text: "a") }
        #expect(statement.integer(0) == 0)
        #expect(statement.text(0) == nil)
        #expect(statement.columnCount == 0)
        statement.reset()
    }
}
