// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery

/// What a full-text index has lists of rows for.
package enum TextIndexKind: String, Sendable, CaseIterable {
    /// Three bytes in sequence.
    case trigrams
    /// ASCII letters, digits, underscores and bytes of other characters in sequence.
    case words

    /// The number in the file.
    var number: UInt64 {
        switch self {
        case .trigrams: 1
        case .words: 2
        }
    }

    init?(number: UInt64) {
        guard let kind = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = kind
    }
}

/// Words of a text.
enum IndexedWords {
    /// Longer words are divided into pieces of this length, each of which begins with the second
    /// half of the one before, so that one piece has any part of up to half the length.
    static let pieceBytes = 128
    /// The longest part of a word that is searched for.
    static let maxPart = pieceBytes / 2

    static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...0xFF: true
        default: false
        }
    }

    /// The ranges of the words of a text.
    static func forEach(in text: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        var start = 0
        while start < text.count {
            guard isPart(text[start]) else {
                start += 1
                continue
            }
            var end = start + 1
            while end < text.count, isPart(text[end]) { end += 1 }
            body(start..<end)
            start = end
        }
    }
}

/// How the rows that may have a text are found in an index.
indirect enum TermSearch: Sendable, Hashable {
    /// The rows of a term.
    case term([UInt8])
    /// The rows of every term that has a part.
    case part([UInt8])
    /// The rows that all find.
    case all([TermSearch])
    /// The rows that any finds.
    case any([TermSearch])

    /// How many trigrams of a text are searched for; they are spread over it.
    private static let maxTrigrams = 24

    /// A search for texts; `nil` if the index cannot find them.
    init?(_ text: RequiredText, in kind: TextIndexKind) {
        switch text {
        case .text(let bytes):
            let search = kind == .trigrams ? Self.trigrams(of: bytes) : Self.words(of: bytes)
            guard let search else { return nil }
            self = search
        case .all(let texts):
            let parts = texts.compactMap { TermSearch($0, in: kind) }
            if parts.isEmpty { return nil }
            self = .all(parts)
        case .any(let texts):
            var parts: [TermSearch] = []
            for text in texts {
                guard let part = TermSearch(text, in: kind) else { return nil }
                parts.append(part)
            }
            self = .any(parts)
        }
    }

    private static func trigrams(of text: [UInt8]) -> TermSearch? {
        guard text.count >= 3 else { return nil }
        let count = text.count - 2
        // Trigrams that overlap by less than two bytes exclude more rows.
        let step = max(1, count / maxTrigrams)
        var starts = Array(stride(from: 0, to: count, by: step).prefix(maxTrigrams))
        if starts.last != count - 1 { starts.append(count - 1) }
        return .all(starts.map { .term(Array(text[$0..<$0 + 3])) })
    }

    /// Words inside of the text are whole words wherever it occurs; the first and the last one may
    /// be parts of words there.
    private static func words(of text: [UInt8]) -> TermSearch? {
        var whole: [TermSearch] = []
        var longest = 0..<0
        IndexedWords.forEach(in: text.span) { range in
            if range.count > longest.count { longest = range }
            let isInside = range.lowerBound > 0 && range.upperBound < text.count
            if isInside, range.count <= IndexedWords.maxPart {
                whole.append(.term(Array(text[range])))
            }
        }
        if !whole.isEmpty { return .all(whole) }
        return longest.isEmpty ? nil : .part(Array(text[longest].prefix(IndexedWords.maxPart)))
    }
}

extension TermSearch {
    /// Returns the rows of a segment, from those of its terms.
    ///
    /// Of what all have to find, the one that left no row comes first in the next segment: a term
    /// that is rare in one segment is rare in the others, and the frequent ones are read no more.
    ///
    /// - Parameters:
    ///   - term: Returns the rows of a term.
    ///   - part: Returns the rows of every term that has a part.
    /// - Returns: The rows.
    /// - Throws: The errors of the closures.
    mutating func rows(
        withTerm term: ([UInt8]) throws -> SegmentRows,
        withPart part: ([UInt8]) throws -> SegmentRows
    ) rethrows -> SegmentRows {
        switch self {
        case .term(let bytes): return try term(bytes)
        case .part(let bytes): return try part(bytes)
        case .all(var searches):
            defer { self = .all(searches) }
            var rows: SegmentRows?
            for index in searches.indices {
                var found = try searches[index].rows(withTerm: term, withPart: part)
                if let rows { found.formIntersection(rows) }
                if found.isEmpty {
                    searches.insert(searches.remove(at: index), at: 0)
                    return found
                }
                rows = found
            }
            return rows ?? SegmentRows()
        case .any(var searches):
            defer { self = .any(searches) }
            var rows = SegmentRows()
            for index in searches.indices {
                rows.formUnion(try searches[index].rows(withTerm: term, withPart: part))
            }
            return rows
        }
    }
}
