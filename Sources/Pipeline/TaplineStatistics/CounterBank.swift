// SPDX-License-Identifier: MIT

internal import Synchronization

/// Counters that one lane writes and any thread may read.
///
/// **Isolation**: a count is lost if two threads add to the same one, so each lane has its own
/// bank. Reading is safe from any thread at any time.
@usableFromInline package final class CounterBank: Sendable {
    private final class Cell: Sendable {
        let value = Atomic<Int>(0)
    }

    private let cells: [Cell]

    /// Creates counters at zero.
    package init(count: Int) {
        cells = (0..<count).map { _ in Cell() }
    }

    /// Adds to the counter at an index; an index beyond the last one is ignored.
    @inline(__always)
    @usableFromInline package func add(_ amount: Int = 1, to index: Int) {
        guard cells.indices.contains(index) else { return }
        // There is one writer: a load and a store cost a fifth of an atomic addition.
        let cell = cells[index]
        cell.value.store(cell.value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    /// Raises the counter at an index to a value.
    func raise(to value: Int, at index: Int) {
        guard cells.indices.contains(index) else { return }
        let cell = cells[index]
        if cell.value.load(ordering: .relaxed) < value {
            cell.value.store(value, ordering: .relaxed)
        }
    }

    /// All counters.
    package var counts: [Int] { cells.map { $0.value.load(ordering: .relaxed) } }

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
