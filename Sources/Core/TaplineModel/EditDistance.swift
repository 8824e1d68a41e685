// SPDX-License-Identifier: MIT

/// How far two texts are from each other.
package enum EditDistance {
    /// Returns the number of insertions, deletions, replacements and swaps of neighbors that turn
    /// one sequence into another (Damerau-Levenshtein, optimal string alignment).
    package static func between<Element: Equatable>(_ left: [Element], _ right: [Element]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var best = min(last[column + 1], current[column]) + 1
                best = min(best, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
