// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// Collects the terms of rows.
///
/// Each term has a number below 2^24: a trigram is its number, and words are numbered as they come.
struct SegmentTerms {
    /// How many terms a row may have.
    private static let maxTermsOfRow = 1 << 19

    private let kind: TextIndexKind
    /// The distinct terms of the current row.
    private(set) var ofRow: [UInt32] = []

    /// Which trigrams the current row has.
    private var seen: [UInt64]
    private var numbers: [ArraySlice<UInt8>: UInt32] = [:]
    private var words: [ArraySlice<UInt8>] = []
    /// For each word, the last row that has it.
    private var lastRows: [Int] = []
    private var row = 0
    /// The first bytes of all words.
    private(set) var wordBytes = 0

    init(_ kind: TextIndexKind) {
        self.kind = kind
        seen = [UInt64](repeating: 0, count: kind == .trigrams ? 1 << 18 : 0)
    }

    /// Forgets all words.
    mutating func removeAll() {
        numbers.removeAll()
        words.removeAll()
        lastRows.removeAll()
        wordBytes = 0
    }

    /// The bytes of a term.
    func bytes(of term: UInt32) -> ArraySlice<UInt8> {
        guard kind == .trigrams else { return words[Int(term)] }
        return [
            UInt8(truncatingIfNeeded: term >> 16), UInt8(truncatingIfNeeded: term >> 8),
            UInt8(truncatingIfNeeded: term),
        ]
    }

    /// Finds the terms of a row; returns `false` if there are too many.
    mutating func read(_ exchange: borrowing Exchange) -> Bool {
        ofRow.removeAll(keepingCapacity: true)
        row += 1
        SearchedTexts.forEach(in: exchange) { text in
            switch kind {
            case .trigrams: addTrigrams(text)
            case .words: addWords(text)
            }
        }
        if kind == .trigrams {
            for term in ofRow { seen[Int(term >> 6)] = 0 }
        }
        return ofRow.count <= Self.maxTermsOfRow
    }

    private mutating func addTrigrams(_ text: Span<UInt8>) {
        guard text.count >= 3 else { return }
        var term = UInt32(text[0]) << 8 | UInt32(text[1])
        for index in 2..<text.count {
            term = (term << 8 | UInt32(text[index])) & 0xFF_FFFF
            let word = Int(term >> 6)
            let bit: UInt64 = 1 << UInt64(term & 63)
            if seen[word] & bit != 0 { continue }
            seen[word] |= bit
            ofRow.append(term)
        }
    }

    private mutating func addWords(_ text: Span<UInt8>) {
        IndexedWords.forEach(in: text) { range in
            let half = IndexedWords.maxPart
            for start in stride(from: 0, to: max(1, range.count - half), by: half) {
                let first = range.lowerBound + start
                let end = min(first + IndexedWords.pieceBytes, range.upperBound)
                addWord(text.extracting(first..<end))
            }
        }
    }

    private mutating func addWord(_ text: Span<UInt8>) {
        guard ofRow.count <= Self.maxTermsOfRow else { return }
        let word = Array(copying: text)[...]
        if let number = numbers[word] {
            if lastRows[Int(number)] == row { return }
            lastRows[Int(number)] = row
            ofRow.append(number)
            return
        }
        let number = UInt32(words.count)
        numbers[word] = number
        words.append(word)
        lastRows.append(row)
        wordBytes += word.count
        ofRow.append(number)
    }
}
