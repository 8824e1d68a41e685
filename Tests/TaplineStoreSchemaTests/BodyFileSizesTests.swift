// SPDX-License-Identifier: MIT

import TaplineSQL
import TaplineStoreSchema
import Testing

@Suite("Sizes of body files")
struct BodyFileSizesTests {
    private func total(_ rows: String) throws -> (total: Int64, measured: [UInt8]) {
        let connection = try SQLiteConnection()
        for step in SchemaText.migrations { try connection.execute(step) }
        try connection.execute("INSERT INTO bodies VALUES \(rows)")
        var measured: [UInt8] = []
        let total = try BodyFileSizes.total(connection) { hash in
            if !hash.isEmpty { measured.append(hash[0]) }
            return hash.isEmpty ? .max : 100
        }
        return (total, measured.sorted())
    }

    @Test("are those of the rows up to 1 MiB, and of the files otherwise")
    func sizes() throws {
        let plain = try total(
            "(1, x'01', 7, NULL), (2, x'02', 1048576, NULL), (3, x'03', 9, 'text')"
        )
        #expect(plain.total == 1_048_583)
        #expect(plain.measured == [])
        let damaged = try total(
            "(1, x'01', 7, NULL), (2, x'02', \(Int64.max), NULL), (3, x'03', -1, NULL)"
        )
        #expect(damaged.total == 207)
        #expect(damaged.measured == [2, 3])
    }

    @Test("leave space for further ones")
    func limit() throws {
        let sizes = try total("(1, x'', -1, NULL), (2, x'01', -1, NULL)")
        #expect(sizes.total == Int64.max / 2)
    }
}
