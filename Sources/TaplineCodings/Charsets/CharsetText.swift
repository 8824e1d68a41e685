// SPDX-License-Identifier: MIT

/// A text in UTF-8 that came of another charset, and where its characters stood there.
///
/// **Shape**: a mark for each KiB of what it came from, and two for each byte that is no character.
package struct CharsetText {
    /// A place in the text, and the place of the same character in what it came from.
    struct Mark: Equatable {
        var text: Int
        var source: Int
    }

    /// The text; U+FFFD stands for each byte that is no character.
    package internal(set) var bytes: [UInt8] = []
    private(set) var marks: [Mark] = []

    mutating func mark(source: Int) {
        let mark = Mark(text: bytes.count, source: source)
        if marks.last?.text == mark.text { marks.removeLast() }
        marks.append(mark)
    }

    /// The last mark at or before a place of the text, and where the next one's source begins.
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
