// SPDX-License-Identifier: MIT

/// The positions of batches that are acknowledged, in any order.
///
/// **Shape**: positions count from 0 without gaps. Memory grows with the gaps, not with the number
/// of positions.
package struct ContiguousPositions: Sendable {
    /// All positions below are acknowledged; this one is not.
    package private(set) var end: UInt64 = 0
    /// The acknowledged ranges above `end`, in order; no two of them touch.
    private var later: [Range<UInt64>] = []

    /// Creates positions of which none is acknowledged.
    package init() {}

    /// Notes that a position is acknowledged; repeating one has no effect.
    ///
    /// - Parameter position: The position.
    /// - Returns: Whether `end` has grown.
    package mutating func acknowledge(_ position: UInt64) -> Bool {
        guard position >= end, position < .max else { return false }
        let index = firstRange(endingAtOrAfter: position)
        if index < later.count, later[index].contains(position) { return false }
        var range = position..<position + 1
        var replaced = index..<index
        if index < later.count, later[index].upperBound == position {
            range = later[index].lowerBound..<range.upperBound
            replaced = index..<index + 1
        }
        if replaced.upperBound < later.count,
            later[replaced.upperBound].lowerBound == range.upperBound
        {
            range = range.lowerBound..<later[replaced.upperBound].upperBound
            replaced = replaced.lowerBound..<replaced.upperBound + 1
        }
        guard range.lowerBound == end else {
            later.replaceSubrange(replaced, with: [range])
            return false
        }
        later.removeSubrange(replaced)
        end = range.upperBound
        return true
    }

    /// The index of the first range whose end is not before a position.
    private func firstRange(endingAtOrAfter position: UInt64) -> Int {
        var low = 0
        var high = later.count
        while low < high {
            let middle = low + (high - low) / 2
            if later[middle].upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
