// SPDX-License-Identifier: MIT

/// A text converted to UTF-8 from another charset, with the source positions of its characters.
///
/// **Shape.** It holds a mark for each KiB of the source, and two for each byte that does not
/// belong to a character.
package struct CharsetText {
    /// A position in the text and the position of the same character in the source.
    struct Mark: Equatable {
        var text: Int
        var source: Int
    }

    /// The text; each byte that does not belong to a character is replaced by U+FFFD.
    package internal(set) var bytes: [UInt8] = []
    private(set) var marks: [Mark] = []

    mutating func mark(source: Int) {
        let mark = Mark(text: bytes.count, source: source)
        if marks.last?.text == mark.text { marks.removeLast() }
        marks.append(mark)
    }

    /// Returns the last mark at or before a position, and the source position of the next mark.
    func mark(before place: Int, sourceCount: Int) -> (mark: Mark, end: Int) {
        var low = 0
        var high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].text <= place { low = middle + 1 } else { high = middle }
        }
        let end = low < marks.count ? marks[low].source : sourceCount
        return (low > 0 ? marks[low - 1] : Mark(text: 0, source: 0), end)
    }
}
