// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Detects by a few letters that a name has no rule, which is the case for most names.
///
/// **Shape**: built with the rules; a check costs a tenth of a look-up and allocates nothing.
/// Filters of several rule sets can be combined into one that passes every name that any of them
/// passes.
struct NameFilter: Sendable {
    private var starts = NameStarts()
    private var ends = NameEnds()
    /// The first four letters of texts that may be anywhere in names, or all letters of shorter
    /// texts.
    private var parts: [Part] = []
    /// Characters of nested names, and the first letters of these texts.
    private var marks = ByteSet([.ascii("."), .ascii("["), .ascii("]")])
    /// Whether there are rules that match names regardless of these letters.
    private var matchesAny = false

    /// Passes names with these letters, which are lowercase and without joining characters.
    mutating func add(name letters: [UInt8]) { starts.insert(letters) }

    /// Passes names that end with these letters.
    mutating func add(phrase letters: [UInt8]) { ends.insert(letters) }

    /// Passes names that end with a text, or contain it.
    mutating func add(_ form: NamePattern.Form, _ text: [UInt8]) {
        switch form {
        case .ending where text.allSatisfy({ !$0.isDigit }): ends.insert(text)
        case .part:
            let part = Part(text)
            if !parts.contains(part) { parts.append(part) }
            marks.insert(text[0])
            marks.insert(text[0] & 0xDF)
        case .all, .glob, .ending: matchesAny = true
        }
    }

    /// Returns a filter that passes every name that either filter passes.
    func union(_ other: NameFilter) -> NameFilter {
        var result = self
        result.starts.formUnion(other.starts)
        result.ends.formUnion(other.ends)
        result.parts += other.parts.filter { !parts.contains($0) }
        result.marks.formUnion(other.marks)
        result.matchesAny = matchesAny || other.matchesAny
        return result
    }

    /// Whether a name, or the last part of a nested name, may have a rule.
    func mayMatch(_ name: Span<UInt8>) -> Bool {
        if matchesAny || starts.mayHold(name) || ends.mayMatch(name) { return true }
        for index in name.indices {
            let byte = name[index]
            // Full-width letters, and zero-width characters between others.
            if byte >= 0x80 { return true }
            guard marks.contains(byte) else { continue }
            if byte == .ascii(".") || byte | 0x06 == 0x5F { return true }
            let letters = NameFilter.letters(name, index)
            for part in parts where letters & part.mask == part.letters { return true }
        }
        return false
    }

    /// The first letters of a text.
    private struct Part: Equatable, Sendable {
        let letters: UInt32
        /// All bits are set for each letter that counts.
        let mask: UInt32

        init(_ text: [UInt8]) {
            letters = NameFilter.letters(text.span, 0)
            mask = text.count < 4 ? ~(UInt32.max >> UInt32(8 * text.count)) : .max
        }
    }

    /// Returns four lowercase letters from a position on, padded with zeros.
    private static func letters(_ name: Span<UInt8>, _ start: Int) -> UInt32 {
        var letters: UInt32 = 0
        for index in start..<start + 4 {
            letters = letters << 8 | (index < name.count ? UInt32(name[index] | 0x20) : 0)
        }
        return letters
    }
}

/// The second and the last letters of names, for each first letter.
struct NameStarts: Sendable {
    /// The last letters, then the second letters; empty without names.
    private var bits: [UInt32] = []

    /// Adds a name in lowercase, without joining characters.
    mutating func insert(_ letters: [UInt8]) {
        guard let first = letters.first, let last = letters.last else { return }
        if bits.isEmpty { bits = [UInt32](repeating: 0, count: 2 * NameLetter.count) }
        let row = NameLetter.number(first)
        bits[row] |= 1 << UInt32(NameLetter.number(last))
        guard letters.count > 1 else { return }
        bits[NameLetter.count + row] |= 1 << UInt32(NameLetter.number(letters[1]))
    }

    mutating func formUnion(_ other: NameStarts) {
        if bits.isEmpty { bits = other.bits }
        for index in other.bits.indices { bits[index] |= other.bits[index] }
    }

    /// Whether a name may be in the set, whatever joins its words.
    @inline(__always)
    func mayHold(_ name: Span<UInt8>) -> Bool {
        guard !bits.isEmpty, !name.isEmpty else { return false }
        let first = name[0]
        let last = name[name.count - 1]
        if NameLetter.joins(first) || NameLetter.joins(last) { return true }
        let row = NameLetter.number(first)
        guard bits[row] & 1 << UInt32(NameLetter.number(last)) != 0 else { return false }
        guard name.count > 1, !NameLetter.joins(name[1]) else { return true }
        return bits[NameLetter.count + row] & 1 << UInt32(NameLetter.number(name[1])) != 0
    }
}

/// The last three letters of phrases.
struct NameEnds: Sendable {
    /// For each last letter, the letters before it, then for each pair of last letters, the letters
    /// before them; empty without phrases.
    private var bits: [UInt32] = []

    /// Adds a phrase of at least two letters; any letter may precede a phrase of two.
    mutating func insert(_ letters: [UInt8]) {
        let last = letters.reversed().prefix(3).map { NameLetter.number($0) }
        guard last.count > 1 else { return }
        if bits.isEmpty {
            bits = [UInt32](repeating: 0, count: NameLetter.count * (NameLetter.count + 1))
        }
        bits[last[0]] |= 1 << UInt32(last[1])
        let row = NameEnds.row(last[0], last[1])
        bits[row] |= last.count > 2 ? 1 << UInt32(last[2]) : .max
    }

    mutating func formUnion(_ other: NameEnds) {
        if bits.isEmpty { bits = other.bits }
        for index in other.bits.indices { bits[index] |= other.bits[index] }
    }

    /// Whether a name may end with a phrase, its plural, or either with a number after it.
    @inline(__always)
    func mayMatch(_ name: Span<UInt8>) -> Bool {
        guard !bits.isEmpty, name.count > 1 else { return false }
        let last = name[name.count - 1]
        if last.isDigit { return mayMatchNumbered(name) }
        return mayEnd(name, name.count)
            || last | 0x20 == .ascii("s") && mayEnd(name, name.count - 1)
    }

    /// Whether the same is true for a name that ends with a number, by the letters before the
    /// number.
    private func mayMatchNumbered(_ name: Span<UInt8>) -> Bool {
        var end = name.count
        while end > 0, name[end - 1].isDigit || PhraseTable.isJoint(name[end - 1]) { end -= 1 }
        guard end > 1 else { return false }
        let last = name[end - 1] | 0x20
        // The letter of a version: `secret_v2`, `key_b64`.
        if last == .ascii("v") || last == .ascii("b") || name[end - 2].isDigit { return true }
        return mayEnd(name, end) || last == .ascii("s") && mayEnd(name, end - 1)
    }

    /// Whether a phrase may end at a position: by its last three letters, or because a joining
    /// character is among them.
    @inline(__always)
    func mayEnd(_ name: Span<UInt8>, _ end: Int) -> Bool {
        guard end > 1, !bits.isEmpty else { return false }
        let last = name[end - 1]
        let other = name[end - 2]
        if PhraseTable.isJoint(last) || PhraseTable.isJoint(other) { return true }
        let (number, second) = (NameLetter.number(last), NameLetter.number(other))
        guard bits[number] & 1 << UInt32(second) != 0 else { return false }
        guard end > 2, !PhraseTable.isJoint(name[end - 3]) else { return true }
        let third: UInt32 = 1 << UInt32(NameLetter.number(name[end - 3]))
        return bits[NameEnds.row(number, second)] & third != 0
    }

    @inline(__always)
    private static func row(_ last: Int, _ other: Int) -> Int {
        NameLetter.count * (1 + last) + other
    }
}

/// Numbers for the letters of names.
enum NameLetter {
    static let count = 32

    /// Returns a number below `count`, the same for both cases of a letter; digits share their
    /// numbers with letters.
    @inline(__always)
    static func number(_ byte: UInt8) -> Int { Int(byte & 0x1F) }

    /// Whether a byte joins the words of a name that is compared as a whole.
    @inline(__always)
    static func joins(_ byte: UInt8) -> Bool {
        byte == .ascii("-") || byte == .ascii("_") || byte == .ascii(".") || byte == 0x20
    }
}
