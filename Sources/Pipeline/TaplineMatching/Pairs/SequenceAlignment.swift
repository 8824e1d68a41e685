// SPDX-License-Identifier: MIT

/// A longest common subsequence of two sequences.
///
/// **Source**: E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the greedy
/// algorithm.
/// **Limits**: sequences that differ in more than 1,000 elements are aligned up to their first and
/// last differences only.
enum SequenceAlignment {
    /// A pair of equal elements, by position.
    struct Pair: Equatable {
        let left: Int
        let right: Int
    }

    private static let maxDifferences = 1000

    /// Returns the pairs in order.
    static func pairs(_ left: [Int], _ right: [Int]) -> [Pair] {
        let shorter = min(left.count, right.count)
        var start = 0
        while start < shorter, left[start] == right[start] { start += 1 }
        var end = 0
        while end < shorter - start, left[left.count - 1 - end] == right[right.count - 1 - end] {
            end += 1
        }
        var pairs = (0..<start).map { Pair(left: $0, right: $0) }
        let middle = common(
            left[start..<left.count - end],
            right[start..<right.count - end]
        )
        pairs += middle
        for offset in (0..<end).reversed() {
            pairs.append(Pair(left: left.count - 1 - offset, right: right.count - 1 - offset))
        }
        return pairs
    }

    private static func common(_ left: ArraySlice<Int>, _ right: ArraySlice<Int>) -> [Pair] {
        guard !left.isEmpty, !right.isEmpty else { return [] }
        let limit = min(left.count + right.count, maxDifferences)
        // The farthest position in `left` on each diagonal, for each number of differences.
        var farthest = [Int](repeating: 0, count: 2 * limit + 3)
        var trace: [[Int]] = []
        for differences in 0...limit {
            trace.append(Array(farthest[(limit + 1 - differences)...(limit + 1 + differences)]))
            var diagonal = -differences
            while diagonal <= differences {
                let index = limit + 1 + diagonal
                let isDown =
                    diagonal == -differences
                    || diagonal != differences && farthest[index - 1] < farthest[index + 1]
                var x = isDown ? farthest[index + 1] : farthest[index - 1] + 1
                var y = x - diagonal
                while x < left.count, y < right.count,
                    left[left.startIndex + x] == right[right.startIndex + y]
                {
                    x += 1
                    y += 1
                }
                farthest[index] = x
                if x >= left.count, y >= right.count {
                    return path(left, right, trace, differences)
                }
                diagonal += 2
            }
        }
        return []
    }

    /// Follows the trace back from the end.
    private static func path(
        _ left: ArraySlice<Int>,
        _ right: ArraySlice<Int>,
        _ trace: [[Int]],
        _ differences: Int
    ) -> [Pair] {
        var pairs: [Pair] = []
        var (x, y) = (left.count, right.count)
        for count in stride(from: differences, through: 1, by: -1) {
            // What `farthest` contained before this step, on the diagonals from -count to count.
            let before = trace[count]
            let diagonal = x - y
            let index = diagonal + count
            let isDown =
                diagonal == -count
                || diagonal != count && before[index - 1] < before[index + 1]
            let startX = isDown ? before[index + 1] : before[index - 1]
            let startY = startX - (isDown ? diagonal + 1 : diagonal - 1)
            // The equal elements after the step.
            let end = isDown ? startX : startX + 1
            while x > end, y > end - diagonal {
                x -= 1
                y -= 1
                pairs.append(Pair(left: left.startIndex + x, right: right.startIndex + y))
            }
            (x, y) = (startX, startY)
        }
        while x > 0, y > 0 {
            x -= 1
            y -= 1
            pairs.append(Pair(left: left.startIndex + x, right: right.startIndex + y))
        }
        return pairs.reversed()
    }
}
