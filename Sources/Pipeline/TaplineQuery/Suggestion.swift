// SPDX-License-Identifier: MIT

/// Finds the word that a mistyped one was probably meant to be.
enum Suggestion {
    /// Returns the nearest candidate if at most a third of the letters are wrong.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let letters = Array(word.utf8)
        guard letters.count <= 64 else { return nil }
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            let distance = distance(letters, Array(candidate.utf8))
            if distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        guard let best, best.distance <= max(1, letters.count / 3) else { return nil }
        return best.candidate
    }

    /// Returns the number of letters to insert, delete, replace or swap with their neighbor.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var cost = min(previous[column + 1], current[column]) + 1
                cost = min(cost, previous[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            before = previous
            previous = current
        }
        return previous[right.count]
    }
}
