// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Maps byte strings to numbers without allocating.
///
/// This is a cache of a table in the database, so a missing name may still be stored. Of two names
/// with the same hash, it keeps only the first.
struct NameTable {
    private struct Name {
        let bytes: [UInt8]
        let id: Int64
    }

    private let limit: Int
    private var names: [UInt64: Name] = [:]

    /// Creates a cache of at most `limit` names; a full cache is emptied.
    init(limit: Int) { self.limit = limit }

    var count: Int { names.count }

    func find(_ bytes: Span<UInt8>) -> Int64? {
        guard let name = names[NameTable.hash(bytes)], name.bytes.span.equals(bytes) else {
            return nil
        }
        return name.id
    }

    mutating func insert(_ bytes: Span<UInt8>, _ id: Int64) {
        if names.count >= limit { removeAll() }
        let key = NameTable.hash(bytes)
        if names[key] == nil { names[key] = Name(bytes: Array(copying: bytes), id: id) }
    }

    mutating func removeAll() { names.removeAll(keepingCapacity: true) }

    /// FNV-1a over the bytes; the dictionary adds a seed.
    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices {
            hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
        }
        return hash
    }
}
