// SPDX-License-Identifier: MIT

/// A set of row numbers, as bits of those blocks of 64 numbers that have any.
///
/// **Units**: 16 bytes for each block.
struct RowNumbers: Sendable {
    private struct Block {
        /// What the numbers are from, divided by 64.
        let key: Int64
        var bits: UInt64
    }

    /// Ascending.
    private var blocks: [Block] = []
    /// How many numbers it has.
    private(set) var count = 0

    init() {}

    /// Creates a set of numbers in any order.
    init(_ numbers: [Int64]) {
        for number in numbers.sorted() { insert(number) }
    }

    var isEmpty: Bool { count == 0 }

    func contains(_ number: Int64) -> Bool {
        guard count > 0 else { return false }
        let index = firstIndex(from: number >> 6)
        guard index < blocks.count, blocks[index].key == number >> 6 else { return false }
        return blocks[index].bits & Self.bit(number) != 0
    }

    /// Adds a number; the order in which numbers usually come, ascending, takes the least time.
    mutating func insert(_ number: Int64) {
        let key = number >> 6
        let bit = Self.bit(number)
        let index =
            blocks.last.map { $0.key < key } ?? true ? blocks.count : firstIndex(from: key)
        if index == blocks.count || blocks[index].key != key {
            blocks.insert(Block(key: key, bits: bit), at: index)
            count += 1
        } else if blocks[index].bits & bit == 0 {
            blocks[index].bits |= bit
            count += 1
        }
    }

    /// Whether it has numbers above `lower` and below `upper`.
    func isEmpty(in range: RowRange) -> Bool {
        guard count > 0, let first = first(after: range.lower) else { return true }
        return first >= range.upper
    }

    /// How many of the numbers are at most `last`.
    func count(through last: Int64) -> Int {
        let index = firstIndex(from: last >> 6)
        var sum = blocks[..<index].reduce(0) { $0 + $1.bits.nonzeroBitCount }
        if index < blocks.count, blocks[index].key == last >> 6 {
            let bit = Self.bit(last)
            sum += (blocks[index].bits & (bit | (bit &- 1))).nonzeroBitCount
        }
        return sum
    }

    /// Calls a closure with each number, ascending.
    func forEach(_ body: (Int64) throws -> Void) rethrows {
        for block in blocks {
            var bits = block.bits
            while bits != 0 {
                try body(block.key << 6 | Int64(bits.trailingZeroBitCount))
                bits &= bits - 1
            }
        }
    }

    /// The first number above another one; `nil` if there is none.
    private func first(after number: Int64) -> Int64? {
        let key = number >> 6
        for block in blocks[firstIndex(from: key)...] {
            var bits = block.bits
            if block.key == key {
                let bit = Self.bit(number)
                bits &= ~(bit | (bit &- 1))
            }
            if bits != 0 { return block.key << 6 | Int64(bits.trailingZeroBitCount) }
        }
        return nil
    }

    /// The index of the first block with a key of at least `key`.
    private func firstIndex(from key: Int64) -> Int {
        var (low, high) = (0, blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func bit(_ number: Int64) -> UInt64 { 1 << UInt64(number & 63) }
}
