// SPDX-License-Identifier: MIT

/// A set of the rows of a segment, by their positions.
struct SegmentRows: Sendable, Hashable {
    /// How many row numbers a segment has at most.
    static let limit = 4096

    private var words = [UInt64](repeating: 0, count: SegmentRows.limit / 64)

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// The positions, ascending.
    var positions: [Int] {
        var positions: [Int] = []
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                positions.append(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return positions
    }

    /// Adds a position below `limit`.
    mutating func insert(_ position: Int) { words[position / 64] |= 1 << UInt64(position % 64) }

    mutating func formUnion(_ other: SegmentRows) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    mutating func formIntersection(_ other: SegmentRows) {
        for index in words.indices { words[index] &= other.words[index] }
    }

    // MARK: Lists

    /// Writes ascending positions as the differences between them, or as bits if that is shorter:
    /// twice the number of bytes, plus one for bits, and the bytes.
    static func write(
        _ positions: some Collection<Int>,
        of rows: Int,
        to block: inout IndexBlockWriter
    ) {
        let bitBytes = (rows + 7) / 8
        var bytes: [UInt8] = []
        if positions.count < bitBytes {
            var last = 0
            for position in positions {
                IndexBlockWriter.append(UInt64(position - last), to: &bytes)
                last = position
            }
            block.add(UInt64(bytes.count * 2))
        } else {
            bytes = [UInt8](repeating: 0, count: bitBytes)
            for position in positions { bytes[position / 8] |= 1 << UInt8(position % 8) }
            block.add(UInt64(bytes.count * 2 + 1))
        }
        block.add(bytes)
    }

    /// Skips a list, and returns what `insert(_:)` adds.
    static func list(_ block: inout IndexBlockReader) throws(DamagedIndex) -> List {
        let size = try block.count(upTo: 1 << 20)
        return List(bytes: try block.bytes(size / 2), isBits: size % 2 == 1)
    }

    struct List {
        let bytes: ArraySlice<UInt8>
        let isBits: Bool
    }

    /// Adds the positions of a list.
    mutating func insert(_ list: List) throws(DamagedIndex) {
        if list.isBits {
            guard list.bytes.count <= Self.limit / 8 else { throw DamagedIndex() }
            for (index, byte) in list.bytes.enumerated() {
                words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
            }
            return
        }
        var position = 0
        var step = 0
        var shift = 0
        for byte in list.bytes {
            step |= Int(byte & 0x7F) << shift
            guard shift <= 14 else { throw DamagedIndex() }
            shift += 7
            if byte >= 0x80 { continue }
            position += step
            guard position < Self.limit else { throw DamagedIndex() }
            insert(position)
            (step, shift) = (0, 0)
        }
        guard shift == 0 else { throw DamagedIndex() }
    }
}
