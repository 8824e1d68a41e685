// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Rules whose names are compared word by word.
///
/// A phrase such as `api_key` matches every name that ends with its words: `openai_api_key`,
/// `OPENAI_API_KEY`, `x-apikey`, `auth.apiKey`. Names are split at changes of case, at digits and
/// at all characters that are neither letters nor digits. Plurals, numbers, and qualifiers such as
/// `value` and `string` at the end of a name are ignored (`apiKeys`, `api_key_v2`, `SecretString`).
/// Letters are compared without case, and the characters that join the words of a phrase are
/// ignored.
///
/// **Shape**: built once; a look-up reads a name from its end and allocates nothing. **Limits**:
/// only the last 48 letters of a name are compared.
struct PhraseTable: Sendable {
    /// Which part of a name a phrase has to match.
    enum Place: Sendable {
        /// Its last words.
        case end
        /// Its last letters, even within a word: `slacktoken`.
        case anyEnd
        /// The whole name, or the last part of a nested name.
        case whole
        /// Its last words, which only qualify the words before them.
        case qualifier
    }

    private struct Entry: Sendable {
        let hash: UInt64
        let letters: Range<Int>
        /// `nil` if names with this ending have no rule even though a shorter phrase matches.
        let rule: Rule?
        let place: Place
    }

    /// The length of the longest phrase that is looked up, in letters.
    private static let maxLetters = 48
    /// The maximum number of words that are ignored at the end of a name.
    private static let maxQualifiers = 4

    private var entries: [Entry] = []
    private var letters: [UInt8] = []
    /// Indices of entries plus one, 0 if free; at most half of the slots are used.
    private var slots = [UInt16](repeating: 0, count: 8)
    private var longest = 0
    private var ends = NameEnds()
    /// A bit for each length at which a phrase may begin within a word.
    private var inWordLengths: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Adds a phrase; the last phrase added for the same letters wins.
    ///
    /// - Parameters:
    ///   - name: The words, joined in any way.
    ///   - rule: The rule for the value; `nil` if names with this ending have none.
    ///   - place: Where a name has to contain the phrase.
    mutating func add(_ name: String, _ rule: Rule?, _ place: Place = .end) {
        let folded = PhraseTable.letters(of: name)
        guard 2...PhraseTable.maxLetters ~= folded.count, entries.count < Int(UInt16.max) else {
            return
        }
        var hash = PhraseTable.hashSeed
        for letter in folded.reversed() { PhraseTable.mix(letter, into: &hash) }
        if let index = index(of: hash, folded) {
            let entry = entries[index]
            entries[index] = Entry(
                hash: hash,
                letters: entry.letters,
                rule: rule,
                place: place
            )
        } else {
            let start = letters.count
            letters += folded
            let range = start..<letters.count
            entries.append(Entry(hash: hash, letters: range, rule: rule, place: place))
            if entries.count * 2 > slots.count {
                slots = [UInt16](repeating: 0, count: slots.count * 2)
                for index in entries.indices { insert(index) }
            } else {
                insert(entries.count - 1)
            }
        }
        longest = max(longest, folded.count)
        if place == .anyEnd { inWordLengths |= 1 << UInt64(folded.count) }
        ends.insert(folded)
    }

    /// Returns the letters of a phrase in lowercase.
    static func letters(of name: String) -> [UInt8] {
        name.utf8.filter { !isJoint($0) }.map(\.asciiLowercased)
    }

    /// Returns the rule for the value of a name, by its longest phrase.
    func rule(for name: Span<UInt8>) -> Rule? {
        guard !entries.isEmpty else { return nil }
        // The longest possible phrase is the whole name, and most names of secrets are one.
        if ends.mayEnd(name, name.count), let whole = wholePhrase(of: name),
            whole.place != .qualifier
        {
            return whole.rule
        }
        var end = name.count
        for _ in 0...PhraseTable.maxQualifiers {
            while end > 0, PhraseTable.isJoint(name[end - 1]) { end -= 1 }
            guard end > 1 else { return nil }
            var ending = ending(of: name, end)
            if let index = ending.phrase { return entries[index].rule }
            if name[end - 1] | 0x20 == .ascii("s") {
                let singular = self.ending(of: name, end - 1)
                if let index = singular.phrase { return entries[index].rule?.ofPlural }
                ending.qualifier = ending.qualifier ?? singular.qualifier
            }
            guard let start = ending.qualifier ?? PhraseTable.version(name, end) else { return nil }
            end = start
        }
        return nil
    }

    /// Returns the rule for a name that is exactly a phrase.
    func exactRule(for name: Span<UInt8>) -> Rule? { wholePhrase(of: name)?.rule }

    /// Returns the phrase that equals a name, whatever joins its words.
    private func wholePhrase(of name: Span<UInt8>) -> Entry? {
        var hash = PhraseTable.hashSeed
        var count = 0
        for position in name.indices.reversed() where !PhraseTable.isJoint(name[position]) {
            PhraseTable.mix(name[position].asciiLowercased, into: &hash)
            count += 1
            guard count <= longest else { return nil }
        }
        return index(of: hash, name, 0..<name.count, count).map { entries[$0] }
    }

    /// Returns the longest phrase that ends at a position in a name, and where a qualifier begins
    /// there.
    private func ending(of name: Span<UInt8>, _ end: Int) -> (phrase: Int?, qualifier: Int?) {
        guard ends.mayEnd(name, end) else { return (nil, nil) }
        var hash = PhraseTable.hashSeed
        var count = 0
        var position = end
        var phrase: Int?
        var qualifier: Int?
        while position > 0, count < longest {
            position -= 1
            let byte = name[position]
            guard !PhraseTable.isJoint(byte) else { continue }
            PhraseTable.mix(byte.asciiLowercased, into: &hash)
            count += 1
            let begins = PhraseTable.beginsWord(name, position)
            guard begins || inWordLengths & 1 << UInt64(count) != 0,
                let index = index(of: hash, name, position..<end, count)
            else { continue }
            switch entries[index].place {
            case .anyEnd: phrase = index
            case .end: if begins { phrase = index }
            case .whole: if PhraseTable.beginsName(name, position) { phrase = index }
            case .qualifier: if begins { qualifier = position }
            }
        }
        return (phrase, qualifier)
    }

    private func index(of hash: UInt64, _ folded: [UInt8]) -> Int? {
        index(of: hash, folded.span, 0..<folded.count, folded.count)
    }

    /// Returns the index of the phrase with the letters in a range, ignoring joining characters.
    private func index(
        of hash: UInt64,
        _ name: Span<UInt8>,
        _ range: Range<Int>,
        _ count: Int
    ) -> Int? {
        var slot = PhraseTable.slot(hash, slots.count)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            let entry = entries[index]
            if entry.hash == hash, entry.letters.count == count,
                isEqual(name, range, entry.letters)
            {
                return index
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func isEqual(
        _ name: Span<UInt8>,
        _ range: Range<Int>,
        _ phrase: Range<Int>
    ) -> Bool {
        var next = phrase.lowerBound
        for position in range where !PhraseTable.isJoint(name[position]) {
            guard next < phrase.upperBound, letters[next] == name[position].asciiLowercased else {
                return false
            }
            next += 1
        }
        return next == phrase.upperBound
    }

    private mutating func insert(_ index: Int) {
        var slot = PhraseTable.slot(entries[index].hash, slots.count)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt16(index + 1)
    }
}

// MARK: - Words

extension PhraseTable {
    /// Whether a byte is neither a letter nor a digit; non-ASCII bytes are parts of letters.
    @inline(__always)
    static func isJoint(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: false
        default: true
        }
    }

    /// Whether a word begins with the letter at a position.
    static func beginsWord(_ name: Span<UInt8>, _ position: Int) -> Bool {
        guard position > 0 else { return true }
        let before = name[position - 1]
        let byte = name[position]
        if isJoint(before) || before.isDigit != byte.isDigit { return true }
        guard 0x41...0x5A ~= byte else { return false }
        if !(0x41...0x5A ~= before) { return true }
        // The last of several capitals begins a word: `APIKey`.
        return position + 1 < name.count && 0x61...0x7A ~= name[position + 1]
    }

    /// Returns where a number, or a version such as `v2` and `b64`, begins at the end of a name.
    private static func version(_ name: Span<UInt8>, _ end: Int) -> Int? {
        var start = end
        while start > 0, name[start - 1].isDigit { start -= 1 }
        guard start < end, start > 0 else { return nil }
        let letter = name[start - 1] | 0x20
        let isVersion = letter == .ascii("v") || letter == .ascii("b")
        return isVersion && beginsWord(name, start - 1) ? start - 1 : start
    }

    /// Whether only joining characters and the `x` of private fields precede a position, or precede
    /// the last point or bracket of a nested name.
    private static func beginsName(_ name: Span<UInt8>, _ start: Int) -> Bool {
        var position = start
        while position > 0, isJoint(name[position - 1]) {
            switch name[position - 1] {
            case .ascii("."), .ascii("["), .ascii("]"): return true
            default: position -= 1
            }
        }
        if position > 0, name[position - 1] | 0x20 == .ascii("x"), position < start {
            position -= 1
        }
        return position == 0 || (position < start && isJoint(name[position - 1]))
    }

    private static let hashSeed: UInt64 = 0xCBF2_9CE4_8422_2325

    @inline(__always)
    private static func mix(_ letter: UInt8, into hash: inout UInt64) {
        hash = (hash ^ UInt64(letter)) &* 0x100_0000_01B3
    }

    private static func slot(_ hash: UInt64, _ count: Int) -> Int {
        Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 32) & (count - 1)
    }
}
