// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The words that `preset: strict` keeps, by the places where it keeps them.
///
/// Words in none of these lists are replaced; a word is added only if it does not identify anyone.
///
/// A class, because passing a struct on would retain each of its parts.
final class StrictWords: Sendable {
    /// The words in names of members, parameters, elements and attributes.
    private let names: WordTable
    /// Whole names that the user wrote in the configuration.
    private let ownNames: WordTable
    private let markup = WordTable([StrictWords.markupWords])
    private let values = WordTable([
        StrictWords.valueWords, StrictWords.codeWords, StrictWords.mediaTypes,
    ])
    private let prose = WordTable([
        StrictWords.valueWords, StrictWords.codeWords, StrictWords.mediaTypes,
        StrictWords.proseWords,
    ])
    private let routes = WordTable([StrictWords.routeWords])
    private let endings = WordTable([StrictWords.fileEndings])
    private let methods = WordTable([StrictWords.methods])
    private let ciphers = WordTable([StrictWords.cipherWords])
    private let fields = WordTable([StrictWords.fieldNames])

    /// Creates the lists: the built-in words, those of the standard preset's names, and `ownNames`.
    init(ownNames: [String]) {
        let preset =
            StandardPreset.names + StandardPreset.shortSecrets + StandardPreset.wholeNames
            + StandardPreset.formNames + StandardPreset.harmless
        let plain = preset.filter { !NameRules.isPattern($0) }
        names = WordTable([StrictWords.nameWords] + plain.map(StrictWords.words))
        self.ownNames = WordTable(plain + ownNames.filter { !$0.contains(" ") })
    }

    /// Returns the words of a name, separated by blanks.
    private static func words(_ name: String) -> String {
        String(decoding: name.utf8.map { Pseudonyms.isAlphanumeric($0) ? $0 : 0x20 }, as: UTF8.self)
    }

    func isMethod(_ word: Span<UInt8>) -> Bool { methods.contains(word) }
    func isValue(_ word: Span<UInt8>) -> Bool { values.contains(word) }
    func isField(_ name: Span<UInt8>) -> Bool { fields.contains(name) || ownNames.contains(name) }
    func isCipherPart(_ word: Span<UInt8>) -> Bool { ciphers.contains(word) }
    /// Whether a word is allowed in text: as a value, or as a word of prose.
    func isProse(_ word: Span<UInt8>) -> Bool { prose.contains(word) }

    /// Whether an error code is allowed: it consists of words of names or of prose.
    func isCode(_ code: Span<UInt8>) -> Bool {
        var start = 0
        while start <= code.count {
            var end = start
            while end < code.count, Pseudonyms.isAlphanumeric(code[end]) { end += 1 }
            let word = code.extracting(start..<end)
            guard names.contains(word) || isProse(word) else { return false }
            start = end + 1
        }
        return code.count <= StrictWords.longestName
    }

    /// Whether a name consists only of known words.
    func isName(_ name: Span<UInt8>) -> Bool {
        if ownNames.contains(name) || fields.contains(name) { return true }
        return StrictWords.isComposed(name, of: names)
    }

    /// Whether the name of an element or an attribute is known.
    func isMarkup(_ name: Span<UInt8>) -> Bool {
        markup.contains(name) || isName(name)
    }

    /// Whether a path segment is known: route words, a version, or a file with such a name.
    func isSegment(_ segment: Span<UInt8>) -> Bool {
        if routes.contains(segment) || values.contains(segment) || ownNames.contains(segment) {
            return true
        }
        if let point = segment.lastIndex(of: .ascii(".")), point > 0,
            endings.contains(segment.extracting(point + 1..<segment.count))
        {
            return StrictWords.isComposed(segment.extracting(0..<point), of: routes)
        }
        return StrictWords.isComposed(segment, of: routes)
    }
}

// MARK: - Names made of words

extension StrictWords {
    private static let longestName = 64
    private static let maxWords = 8
    private static let maxDigits = 3
    /// The maximum weight of short words in a name: letters and pairs of letters count 2 each,
    /// digits 1.
    ///
    /// A higher limit would allow random text: `W3cm86H`, `H64LUp9`.
    private static let maxShort = 4

    /// Whether a name has only characters of member and parameter names; a name with others is
    /// data, and so are the other keys of the object.
    static func isIdentifier(_ name: Span<UInt8>) -> Bool {
        guard 1...longestName ~= name.count, !name[0].isDigit else { return false }
        var digits = 0
        for index in name.indices {
            let byte = name[index]
            guard Pseudonyms.isAlphanumeric(byte) || isJoint(byte) else { return false }
            if byte.isDigit { digits += 1 }
        }
        return digits <= 4
    }

    /// Whether a byte may join the words of a name.
    private static func isJoint(_ byte: UInt8) -> Bool {
        switch byte {
        case .ascii("_"), .ascii("-"), .ascii("."), .ascii("$"), .ascii("@"), .ascii(":"),
            .ascii("["), .ascii("]"):
            true
        default: false
        }
    }

    /// Whether a name consists of words of a table, with few digits.
    private static func isComposed(_ name: Span<UInt8>, of words: borrowing WordTable) -> Bool {
        guard 1...longestName ~= name.count else { return false }
        var position = 0
        var digits = 0
        var count = 0
        var short = 0
        while position < name.count {
            let byte = name[position]
            if byte.isDigit {
                digits += 1
                position += 1
            } else if Pseudonyms.isAlphanumeric(byte) {
                var end = position
                while end < name.count, isLetter(name[end]) { end += 1 }
                guard read(name.extracting(position..<end), words, &count, &short) else {
                    return false
                }
                position = end
            } else {
                guard isJoint(byte) else { return false }
                position += 1
            }
        }
        return 1...maxWords ~= count && digits <= maxDigits && short + digits <= maxShort
    }

    /// Reads letters: one whole word, or words that begin with capitals.
    private static func read(
        _ text: Span<UInt8>,
        _ words: borrowing WordTable,
        _ count: inout Int,
        _ short: inout Int
    ) -> Bool {
        guard !words.contains(text) else {
            count += 1
            if text.count <= 2 { short += 2 }
            return true
        }
        var start = 0
        while start < text.count {
            var end = start + 1
            while end < text.count, !isBorder(text, end) { end += 1 }
            let word = text.extracting(start..<end)
            guard words.contains(word) else { return false }
            count += 1
            if word.count <= 2 { short += 2 }
            start = end
        }
        return true
    }

    /// Whether another word begins: at a capital after a lowercase letter, and at the last of
    /// several capitals before a lowercase letter (`APIKey`).
    private static func isBorder(_ text: Span<UInt8>, _ position: Int) -> Bool {
        guard isCapital(text[position]) else { return false }
        guard isCapital(text[position - 1]) else { return true }
        return position + 1 < text.count && !isCapital(text[position + 1])
    }

    private static func isCapital(_ byte: UInt8) -> Bool { 0x41...0x5A ~= byte }
    private static func isLetter(_ byte: UInt8) -> Bool {
        Pseudonyms.isAlphanumeric(byte) && !byte.isDigit
    }
}
