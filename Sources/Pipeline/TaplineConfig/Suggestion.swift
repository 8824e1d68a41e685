// SPDX-License-Identifier: MIT

/// Finds the name that a misspelled one was probably meant to be.
package enum Suggestion {
    /// Returns the nearest name if it is near enough: at most one edit for each three letters.
    package static func nearest(to text: String, among names: [String]) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let allowed = max(1, text.unicodeScalars.count / 3)
        return names.map { (name: $0, distance: distance(text, $0)) }
            .filter { $0.distance <= allowed }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// Returns `did you mean 'name'?` if a name is near enough.
    package static func help(for text: String, among names: [String]) -> String? {
        nearest(to: text, among: names).map { "did you mean '\($0)'?" }
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbors that turn
    /// one text into another (Damerau-Levenshtein, optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.lowercased().unicodeScalars)
        let right = Array(right.lowercased().unicodeScalars)
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let cost = left[row - 1] == right[column - 1] ? 0 : 1
                var best = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost)
                if row > 1, column > 1, left[row - 1] == right[column - 2],
                    left[row - 2] == right[column - 1]
                {
                    best = min(best, beforeLast[column - 2] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
