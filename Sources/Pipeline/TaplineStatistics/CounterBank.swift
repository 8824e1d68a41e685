// SPDX-License-Identifier: MIT

internal import Synchronization

/// Counters that one lane writes and any thread may read.
///
/// **Isolation**: a count is lost if two threads add to the same one, so each lane has its own
/// bank. Reading is safe from any thread at any time.
@usableFromInline package final class CounterBank: Sendable {
    /// Some of the counters, in one allocation.
    private final class Block: Sendable {
        static let size = 32

        let values = InlineArray<32, Atomic<Int>> { _ in Atomic(0) }
    }

    private let blocks: [Block]
    private let count: Int

    /// Creates counters at zero.
    package init(count: Int) {
        self.count = count
        blocks = (0..<(count + Block.size - 1) / Block.size).map { _ in Block() }
    }

    /// Adds to the counter at an index; an index beyond the last one is ignored.
    @inline(__always)
    @usableFromInline package func add(_ amount: Int = 1, to index: Int) {
        guard 0..<count ~= index else { return }
        let block = blocks[index / Block.size]
        let position = index % Block.size
        // There is one writer: a load and a store cost a fifth of an atomic addition.
        let value = block.values[position].load(ordering: .relaxed)
        block.values[position].store(value &+ amount, ordering: .relaxed)
    }

    /// Raises the counter at an index to a value.
    func raise(to value: Int, at index: Int) {
        guard 0..<count ~= index else { return }
        let block = blocks[index / Block.size]
        let position = index % Block.size
        if block.values[position].load(ordering: .relaxed) < value {
            block.values[position].store(value, ordering: .relaxed)
        }
    }

    /// All counters.
    package var counts: [Int] {
        (0..<count).map { index in
            blocks[index / Block.size].values[index % Block.size].load(ordering: .relaxed)
        }
    }

    /// Returns the sums of the counters of several lanes; the result is as long as the longest
    /// bank.
    package static func sum(_ banks: [CounterBank]) -> [Int] {
        var sum: [Int] = []
        for bank in banks {
            for (index, count) in bank.counts.enumerated() {
                if index == sum.count { sum.append(0) }
                sum[index] &+= count
            }
        }
        return sum
    }
}
