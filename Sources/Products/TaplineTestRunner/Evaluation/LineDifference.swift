// SPDX-License-Identifier: MIT

/// A line-by-line difference of two texts, with a little context.
struct LineDifference {
    /// The most lines of a text that are compared; further lines count as different.
    private static let limit = 400
    /// The number of lines shown around a difference.
    private static let context = 2
    /// The most lines of a difference that are shown.
    private static let shown = 40

    /// The lines, each after `-` (expected), `+` (found) or a space (both).
    let lines: [String]

    /// Compares an expected text with the one found.
    init(expected: [String], found: [String]) {
        let all = LineDifference.merge(
            Array(expected.prefix(LineDifference.limit)),
            Array(found.prefix(LineDifference.limit))
        )
        var kept: [String] = []
        var isGap = false
        for (index, line) in all.enumerated() {
            let around = all[
                max(
                    0,
                    index - LineDifference.context
                )...min(
                    all.count - 1,
                    index + LineDifference.context
                )
            ]
            guard around.contains(where: { $0.mark != " " }) else {
                isGap = true
                continue
            }
            if isGap { kept.append("  …") }
            isGap = false
            kept.append("\(line.mark) \(LineDifference.shown(line.text, at: index, of: all))")
        }
        if isGap { kept.append("  …") }
        if !all.contains(where: { $0.mark != " " }) {
            kept = ["  … no difference up to line \(LineDifference.limit)"]
        }
        if kept.count > LineDifference.shown {
            let more = kept.count - LineDifference.shown
            kept = Array(kept.prefix(LineDifference.shown)) + ["  … \(more) more lines"]
        }
        lines = kept
    }

    /// Returns a line as it is shown; if one long line replaces another, only the part that
    /// differs.
    private static func shown(
        _ text: String,
        at index: Int,
        of all: [(mark: Character, text: String)]
    ) -> String {
        let partner = all[index].mark == "-" ? index + 1 : index - 1
        var text = text
        if all.indices.contains(partner), all[index].mark != " ", all[partner].mark != " ",
            all[partner].mark != all[index].mark
        {
            text = ShownText.pair(text, all[partner].text).0
        } else {
            text = ShownText.bounded(text)
        }
        return ShownText.escaped(text)
    }

    /// Merges both texts by their longest common subsequence.
    private static func merge(
        _ expected: [String],
        _ found: [String]
    ) -> [(mark: Character, text: String)] {
        let width = found.count + 1
        var lengths = [Int](repeating: 0, count: (expected.count + 1) * width)
        for row in expected.indices.reversed() {
            for column in found.indices.reversed() {
                let place = row * width + column
                lengths[place] =
                    expected[row] == found[column]
                    ? lengths[place + width + 1] + 1
                    : max(lengths[place + width], lengths[place + 1])
            }
        }
        var merged: [(mark: Character, text: String)] = []
        var (row, column) = (0, 0)
        while row < expected.count || column < found.count {
            if row < expected.count, column < found.count, expected[row] == found[column] {
                merged.append((" ", expected[row]))
                row += 1
                column += 1
            } else if column == found.count
                || row < expected.count
                    && lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]
            {
                merged.append(("-", expected[row]))
                row += 1
            } else {
                merged.append(("+", found[column]))
                column += 1
            }
        }
        return merged
    }
}
