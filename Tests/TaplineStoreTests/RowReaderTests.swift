// SPDX-License-Identifier: MIT

import TaplineQuery
import TaplineSQL
import TaplineStoreSchema
import TestSupport
import Testing

@testable import TaplineStore

@Suite("Reading rows")
struct RowReaderTests {
    @Test("prepares only the statements that a question needs")
    func statements() throws {
        let folder = try TemporaryFolder()
        let path = folder("traffic.db")
        let connection = try SQLiteConnection(path: path)
        // Other columns are missing, so statements that read whole rows cannot be prepared.
        try connection.execute(
            """
            CREATE TABLE exchanges
              (seq INTEGER PRIMARY KEY, id BLOB, started INTEGER, status INTEGER);
            CREATE TABLE hosts (id INTEGER PRIMARY KEY, scheme, authority);
            CREATE TABLE bodies (id INTEGER PRIMARY KEY, hash, size, content);
            INSERT INTO exchanges VALUES
              (1, zeroblob(16), 0, 200), (2, zeroblob(16), 0, 404), (3, zeroblob(16), 0, 200);
            """
        )
        try connection.setPragma("application_id", SchemaText.applicationID)
        try connection.setPragma("user_version", Int64(2))
        try connection.close()
        let reader = try #require(try DatabaseReader(path))
        let filter = try Filter("status == 200")
        let query = RowQuery(StoreQuery(filter), schema: reader.schema)
        let rows = RowReader(reader, query)
        let count = try reader.snapshot { try rows.count(.all) }
        #expect(count == 2)
        #expect(throws: StoreError.self) {
            try reader.snapshot { _ = try rows.match(1, isCertain: true) }
        }
        #expect(throws: StoreError.self) {
            try reader.snapshot { try rows.read(.all) { _, _ in true } }
        }
        let again = try reader.snapshot { try rows.count(.all) }
        #expect(again == 2)
    }
}
