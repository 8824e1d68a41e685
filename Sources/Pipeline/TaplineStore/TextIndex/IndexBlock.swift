// SPDX-License-Identifier: MIT

/// A part of an index file is missing or is not what was written.
struct DamagedIndex: Error {}

/// Writes numbers and bytes, with a checksum in front.
///
/// SQLite has no checksums, and a damaged list of rows would be a wrong answer.
struct IndexBlockWriter {
    private(set) var content: [UInt8] = []

    /// Adds a number: seven bits in each byte, the lowest first; the last byte has the upper bit 0.
    mutating func add(_ number: UInt64) { Self.append(number, to: &content) }

    mutating func add(_ bytes: some Sequence<UInt8>) { content += bytes }

    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The bytes to store under a key.
    func finish(key: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count + 8)
        let checksum = IndexChecksum.of(content.span, key: key)
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: checksum >> UInt64(shift)))
        }
        bytes += content
        return bytes
    }
}

/// Reads what `IndexBlockWriter` has written.
struct IndexBlockReader {
    private let content: [UInt8]
    private var position = 8

    /// Begins to read; throws if the checksum is wrong.
    init(_ bytes: [UInt8], key: Int64) throws(DamagedIndex) {
        guard bytes.count >= 8 else { throw DamagedIndex() }
        var checksum: UInt64 = 0
        for index in 0..<8 { checksum |= UInt64(bytes[index]) << UInt64(8 * index) }
        guard checksum == IndexChecksum.of(bytes.span.extracting(8..<bytes.count), key: key) else {
            throw DamagedIndex()
        }
        content = bytes
    }

    var isAtEnd: Bool { position >= content.count }

    mutating func number() throws(DamagedIndex) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while position < content.count, shift < 64 {
            let byte = content[position]
            position += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        throw DamagedIndex()
    }

    /// A number that is at most `limit`.
    mutating func count(upTo limit: Int) throws(DamagedIndex) -> Int {
        let number = try number()
        guard number <= UInt64(limit) else { throw DamagedIndex() }
        return Int(number)
    }

    mutating func bytes(_ count: Int) throws(DamagedIndex) -> ArraySlice<UInt8> {
        guard count >= 0, count <= content.count - position else { throw DamagedIndex() }
        defer { position += count }
        return content[position..<position + count]
    }
}

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv).
enum IndexChecksum {
    static func of(_ bytes: Span<UInt8>, key: Int64) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bitPattern: key)
        for index in bytes.indices {
            hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
        }
        return hash
    }
}
