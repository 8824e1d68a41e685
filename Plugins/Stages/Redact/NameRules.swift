// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Rules by name: exact names, and patterns with `*` and `?`.
struct NameRules: Sendable {
    private var table = NameTable<Rule>()
    private var patterns: [Pattern] = []
    /// Whether there are patterns that are more than `*` around a text, or before one.
    private var hasGlobs = false
    /// For each last letter of a pattern that is a text behind `*`, the letters before it.
    private var endings = InlineArray<32, UInt32>(repeating: 0)
    private var hasEndings = false
    /// What nested names hold, and the first letters of the texts within patterns.
    private var marks = ByteSet([.ascii("."), .ascii("["), .ascii("]")])
    /// How long the shortest text within a pattern is.
    private var shortest = Int.max

    var isEmpty: Bool { table.isEmpty && patterns.isEmpty }

    /// Whether a name stands for several.
    static func isPattern(_ name: String) -> Bool {
        name.utf8.contains(.ascii("*")) || name.utf8.contains(.ascii("?"))
    }

    /// Adds a rule; of two for one name the later counts.
    mutating func add(_ name: String, _ rule: Rule) {
        if NameRules.isPattern(name) {
            let pattern = Pattern(name, rule)
            patterns.insert(pattern, at: 0)
            if let ending = pattern.ending {
                let count = ending.count
                endings[Int(ending[count - 1] & 31)] |= 1 << UInt32(ending[count - 2] & 31)
                hasEndings = true
                return
            }
            guard let part = pattern.part else {
                hasGlobs = true
                return
            }
            marks.insert(part[0])
            marks.insert(part[0] & 0xDF)
            shortest = min(shortest, part.count)
        } else {
            table.set(name, to: rule)
        }
    }

    /// Whether a name, or the last part of a nested one, may have a rule.
    ///
    /// Most names have none, and this tells it of most of them, at a tenth of what it costs to look.
    func mayMatch(_ name: Span<UInt8>) -> Bool {
        if hasGlobs || table.mayHold(name) || mayEnd(name) { return true }
        let last = name.count - shortest
        for index in name.indices {
            let byte = name[index]
            guard marks.contains(byte) else { continue }
            if byte == .ascii(".") || byte | 0x06 == 0x5F { return true }
            if index <= last, holdsPart(name, at: index) { return true }
        }
        return false
    }

    /// Whether a name may end with the text of a pattern: its last two letters tell.
    @inline(__always)
    private func mayEnd(_ name: Span<UInt8>) -> Bool {
        guard hasEndings, name.count >= 2 else { return false }
        return endings[Int(name[name.count - 1] & 31)]
            & 1 << UInt32(name[name.count - 2] & 31) != 0
    }

    /// The rule for a name that is no pattern's.
    func exactRule(for name: Span<UInt8>) -> Rule? { table.value(of: name) }

    /// Whether the text within a pattern stands at a place.
    private func holdsPart(_ name: Span<UInt8>, at start: Int) -> Bool {
        for position in patterns.indices {
            guard let part = patterns[position].part, start + part.count <= name.count else {
                continue
            }
            if name.extracting(start..<start + part.count).equalsIgnoringCase(part.span) {
                return true
            }
        }
        return false
    }

    /// The rule for the value of a name.
    func rule(for name: Span<UInt8>) -> Rule? {
        if let rule = table.value(of: name) { return rule }
        guard hasGlobs || shortest < .max || mayEnd(name) else { return nil }
        for position in patterns.indices where patterns[position].matches(name) {
            return patterns[position].rule
        }
        return nil
    }

    /// The same for names as forms write them: of `user[password]` and `user.password` the last
    /// part counts too, behind which `[]` and numbers may stand.
    func rule(forNested name: Span<UInt8>) -> Rule? {
        guard mayMatch(name) else { return nil }
        if let rule = rule(for: name) { return rule }
        var end = name.count
        while end > 0 {
            if name[end - 1] == .ascii("]") || name[end - 1] == .ascii("[") {
                end -= 1
                continue
            }
            var digits = end
            while digits > 0, 0x30...0x39 ~= name[digits - 1] { digits -= 1 }
            guard digits < end, digits > 0,
                name[digits - 1] == .ascii("[") || name[digits - 1] == .ascii(".")
            else { break }
            end = digits - 1
        }
        var start = end
        while start > 0, name[start - 1] != .ascii("["), name[start - 1] != .ascii(".") {
            start -= 1
        }
        guard start > 0 || end < name.count, start < end else { return nil }
        return rule(for: name.extracting(start..<end))
    }
}

/// Several names of one rule.
private struct Pattern: Sendable {
    let rule: Rule
    private let glob: Glob
    /// How many bytes a name that matches has at least.
    private let length: Int
    /// What a name has to hold, in small letters, where that is all there is to the pattern.
    let part: [UInt8]?
    /// What a name has to end with, in small letters, where that is all.
    let ending: [UInt8]?

    init(_ name: String, _ rule: Rule) {
        self.rule = rule
        glob = Glob(name, ignoringCase: true)
        length = name.utf8.count { $0 != .ascii("*") }
        let inner = name.dropFirst().dropLast()
        let isPart = name.hasPrefix("*") && name.hasSuffix("*") && !inner.isEmpty
        part =
            isPart && !NameRules.isPattern(String(inner))
            ? inner.utf8.map(\.asciiLowercased) : nil
        let last = name.dropFirst()
        let isEnding = name.hasPrefix("*") && last.utf8.count > 1
        ending =
            isEnding && !NameRules.isPattern(String(last))
            ? last.utf8.map(\.asciiLowercased) : nil
    }

    func matches(_ name: Span<UInt8>) -> Bool {
        guard name.count >= length else { return false }
        if let ending {
            return name.extracting(name.count - ending.count..<name.count)
                .equalsIgnoringCase(ending.span)
        }
        guard let part else { return glob.matches(name) }
        for start in 0...name.count - part.count where name[start].asciiLowercased == part[0] {
            let candidate = name.extracting(start..<start + part.count)
            if candidate.equalsIgnoringCase(part.span) { return true }
        }
        return false
    }
}
