// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCrypto

/// Keyed permutations of fewer than a million numbers, for which FF1 is not specified, as tables.
///
/// A table is shuffled with Sattolo's algorithm, which produces each permutation that is a single
/// cycle with the same probability, so that no number maps to itself. Its random numbers are
/// AES-256 of a sequence of blocks: `purpose` (1 byte), zeros (3), `size` (4), and a counter that
/// starts at `0` (8). Each half of a block is a number of 64 bits, and `number × limit / 2^64` is
/// below a limit.
///
/// **Isolation**: any thread. A table is created on first use, in at most 15 ms, and kept: forms
/// have some dozen sizes below a million, which take 6 MB together.
final class SmallPermutations: Sendable {
    private struct Table: Hashable {
        let purpose: Purpose
        let size: Int
    }

    private let key: AESKey
    private let tables = Mutex<[Table: [UInt32]]>([:])

    /// The exclusive upper limit for the size of a table.
    static let limit = FF1.minimumTexts

    init(_ key: AESKey) { self.key = key }

    /// Returns the result for a number below `size`; `nil` if there are fewer than two numbers, or
    /// too many.
    func next(_ number: Int, of size: Int, _ purpose: Purpose) -> Int? {
        guard 2..<Self.limit ~= size, 0..<size ~= number else { return nil }
        return tables.withLock { tables in
            let name = Table(purpose: purpose, size: size)
            if let table = tables[name] { return Int(table[number]) }
            guard let table = makeTable(name) else { return nil }
            tables[name] = table
            return Int(table[number])
        }
    }

    private func makeTable(_ name: Table) -> [UInt32]? {
        var table = (0..<name.size).map { UInt32(truncatingIfNeeded: $0) }
        var blocks: [UInt8] = []
        var position = 0
        var counter: UInt64 = 0
        for index in (1..<name.size).reversed() {
            if position == blocks.count {
                blocks = Self.blocks(name, from: counter, count: min(index / 2 + 1, 4096))
                guard key.encrypt(&blocks) else { return nil }
                counter += UInt64(blocks.count / AESKey.blockSize)
                position = 0
            }
            var number: UInt64 = 0
            for offset in 0..<8 { number = number << 8 | UInt64(blocks[position + offset]) }
            position += 8
            let other = number.multipliedFullWidth(by: UInt64(index)).high
            table.swapAt(index, Int(other))
        }
        return table
    }

    private static func blocks(_ name: Table, from counter: UInt64, count: Int) -> [UInt8] {
        var blocks: [UInt8] = []
        blocks.reserveCapacity(count * AESKey.blockSize)
        for number in counter..<counter + UInt64(count) {
            blocks += [name.purpose.rawValue, 0, 0, 0]
            for shift in stride(from: 24, through: 0, by: -8) {
                blocks.append(UInt8(truncatingIfNeeded: name.size >> shift))
            }
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                blocks.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return blocks
    }
}
