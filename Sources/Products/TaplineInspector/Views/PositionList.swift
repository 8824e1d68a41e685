// SPDX-License-Identifier: MIT

internal import TaplineStore

/// The positions of a list, of which a part is visible under each head.
enum PositionList: Sendable {
    /// Every number of one store from the first to the last one, the last one first.
    case gapless(first: Int64, last: Int64)
    /// Numbers of one store, the last one first: those that were added to the list later ascend, the
    /// others descend.
    case growing(newer: [Int64], older: [Int64])
    /// Positions in any order, under one head.
    case fixed(StorePositions)

    static let empty = PositionList.growing(newer: [], older: [])

    /// How many positions there are up to a number, which `fixed` ignores.
    func count(through last: Int64) -> Int {
        switch self {
        case .gapless(let first, let end):
            let shown = min(end, last)
            return shown < first ? 0 : Int(clamping: shown - first + 1)
        case .growing(let newer, let older):
            return Self.newer(newer, through: last) + older.count - Self.skipped(older, last)
        case .fixed(let positions): return positions.count
        }
    }

    /// Returns the positions of a range of indices, as far as there are any.
    func positions(_ range: Range<Int>, through last: Int64) -> [StorePosition] {
        let range = range.clamped(to: 0..<count(through: last))
        switch self {
        case .gapless(_, let end):
            let start = min(end, last)
            return range.map { StorePosition(number: start - Int64($0)) }
        case .growing(let newer, let older):
            let count = Self.newer(newer, through: last)
            let skipped = Self.skipped(older, last)
            return range.map { index in
                StorePosition(
                    number: index < count
                        ? newer[count - 1 - index] : older[index - count + skipped]
                )
            }
        case .fixed(let positions): return range.map { positions[$0] }
        }
    }

    /// Returns the index of a position; `nil` if it is not in the list.
    func index(of position: StorePosition, through last: Int64) -> Int? {
        switch self {
        case .gapless(let first, let end):
            let start = min(end, last)
            guard position.store == 0, first...max(first, start) ~= position.number,
                position.number <= start
            else { return nil }
            return Int(clamping: start - position.number)
        case .growing(let newer, let older):
            guard position.number <= last else { return nil }
            let count = Self.newer(newer, through: last)
            let above = newer.firstIndex { $0 >= position.number } ?? newer.count
            if above < newer.count, newer[above] == position.number { return count - 1 - above }
            let found = Self.skipped(older, position.number)
            guard found < older.count, older[found] == position.number else { return nil }
            return count + found - Self.skipped(older, last)
        case .fixed(let positions): return positions.firstIndex(of: position)
        }
    }

    /// How many of ascending numbers are at most another one.
    private static func newer(_ numbers: [Int64], through last: Int64) -> Int {
        partition(numbers.count) { numbers[$0] > last }
    }

    /// How many of descending numbers are greater than another one.
    private static func skipped(_ numbers: [Int64], _ last: Int64) -> Int {
        partition(numbers.count) { numbers[$0] <= last }
    }

    /// The first index from which on a condition holds.
    private static func partition(_ count: Int, _ holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
