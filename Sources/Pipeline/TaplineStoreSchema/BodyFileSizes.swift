// SPDX-License-Identifier: MIT

package import TaplineSQL

/// The sizes of body files, as rows state them.
///
/// A damaged row may state any number. If it counted, a limit on the size of a database would remove
/// everything.
package enum BodyFileSizes {
    /// The size of a row of `bodies` in SQL; NULL if it has to be compared with the file.
    ///
    /// Few bodies are larger than 1 MiB, so few files are looked at.
    package static let stated =
        "CASE WHEN typeof(size) = 'integer' AND size BETWEEN 0 AND 1048576 THEN size END"

    /// The largest total, which leaves space for further sizes.
    private static let maxTotal = Int64.max / 2

    /// Returns the total size of the body files.
    ///
    /// - Parameters:
    ///   - connection: The database.
    ///   - measure: Returns the size of the file of a body with the given hash, 0 if there is none.
    /// - Returns: The size in bytes, at most half of the largest number.
    /// - Throws: `SQLiteError`.
    package static func total(
        _ connection: SQLiteConnection,
        measure: (Span<UInt8>) -> Int
    ) throws(SQLiteError) -> Int64 {
        var total: Int64 = 0
        func add(_ size: Int64) {
            let (sum, isBeyond) = total.addingReportingOverflow(max(size, 0))
            total = isBeyond ? maxTotal : min(sum, maxTotal)
        }
        let sum = try connection.integer(
            "SELECT sum(\(stated)) FROM bodies WHERE content IS NULL"
        )
        add(sum ?? 0)
        let others = try connection.prepare(
            "SELECT hash FROM bodies WHERE content IS NULL AND \(stated) IS NULL"
        )
        while try others.step() { add(Int64(others.withBlob(0) { measure($0) })) }
        return total
    }
}
