// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Pairs that are objects of their own: `{"name":"password","value":"x"}`, or with `key`, `field`
/// and other words for a name.
///
/// A value that comes before its name is deferred until the object has been read. If a rule matches
/// the name, the value is edited afterwards; if the text ends before the name, the value is in
/// doubt.
struct JSONPairs {
    /// The role of a member in a pair.
    enum Role: UInt8 {
        case none, name, value

        /// Determines the role from the name of a member.
        init(of key: Span<UInt8>) {
            self = .none
            guard !key.isEmpty, let (word, role) = Role.word(key.count, key[0] | 0x20),
                key.equalsIgnoringCase(word)
            else { return }
            self = role
        }

        /// Returns the only word that a name with this length and first letter can be.
        @inline(__always)
        private static func word(_ length: Int, _ first: UInt8) -> (String, Role)? {
            switch (length, first) {
            case (3, .ascii("k")): ("key", .name)
            case (3, .ascii("v")): ("val", .value)
            case (4, .ascii("n")): ("name", .name)
            case (5, .ascii("f")): ("field", .name)
            case (5, .ascii("v")): ("value", .value)
            case (6, .ascii("h")): ("header", .name)
            case (8, .ascii("v")): ("variable", .name)
            case (9, .ascii("a")): ("attribute", .name)
            // Servers use it in error responses to name a field that they do not accept.
            case (4, .ascii("p")): ("path", .name)
            case (5, .ascii("p")): ("param", .name)
            case (8, .ascii("p")): ("property", .name)
            case (9, .ascii("p")): ("parameter", .name)
            default: nil
            }
        }
    }

    /// A value to edit when the whole text has been read.
    struct LateEdit {
        let value: Range<Int>
        /// What to remove if the value is removed: its member with the comma after it.
        let member: Range<Int>
        let rule: Rule
    }

    private struct Waiting {
        let depth: Int
        let value: Range<Int>
        var member: Range<Int>
    }

    private var waiting: [Waiting] = []
    private(set) var late: [LateEdit] = []

    /// Whether a value is waiting for its name.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Discards the state of another text.
    mutating func reset() {
        // Most lists are empty, and emptying one costs more than this check.
        if !waiting.isEmpty { waiting.removeAll(keepingCapacity: true) }
        if !late.isEmpty { late.removeAll(keepingCapacity: true) }
    }

    /// Notes that the value of a pair came before its name.
    mutating func valueEnded(_ value: Range<Int>, member: Int, depth: Int) {
        waiting.append(Waiting(depth: depth, value: value, member: member..<value.upperBound))
    }

    /// Notes that the comma after the current member ended at a position.
    mutating func commaEnded(_ end: Int, depth: Int) {
        guard let last = waiting.last, last.depth == depth,
            last.member.upperBound == last.value.upperBound
        else { return }
        waiting[waiting.count - 1].member = last.member.lowerBound..<end
    }

    /// Notes that the name of a pair was read and that a rule names it.
    mutating func named(_ rule: Rule, depth: Int) {
        while let last = waiting.last, last.depth == depth {
            late.append(LateEdit(value: last.value, member: last.member, rule: rule))
            waiting.removeLast()
        }
    }

    /// Adds a value to edit by a rule when the whole text has been read.
    mutating func add(_ rule: Rule, _ value: Range<Int>, member: Range<Int>) {
        late.append(LateEdit(value: value, member: member, rule: rule))
    }

    /// Returns the first of two elements, from the text before the second; `nil` if it is not a
    /// string, or is a long one.
    static func first(ofTwo bytes: Span<UInt8>, before second: Int) -> Range<Int>? {
        var position = second - 1
        func skipBlanks() {
            while position >= 0, bytes[position] <= 0x20 { position -= 1 }
        }
        skipBlanks()
        guard position >= 0, bytes[position] == .ascii(",") else { return nil }
        position -= 1
        skipBlanks()
        guard position >= 0, bytes[position] == .ascii("\"") else { return nil }
        let end = position
        position -= 1
        while position >= 0, end - position <= 256, bytes[position] != .ascii("\"") {
            position -= 1
        }
        guard position >= 0, bytes[position] == .ascii("\"") else { return nil }
        return position + 1..<end
    }

    /// Notes that an object ended; values that wait in it belong to no pair of a rule.
    mutating func closed(depth: Int) {
        while let last = waiting.last, last.depth >= depth { waiting.removeLast() }
    }

    /// Notes that the text ended within objects: values that wait in them may be secret.
    mutating func endedEarly(_ rule: Rule) {
        for pair in waiting {
            late.append(LateEdit(value: pair.value, member: pair.member, rule: rule))
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Sorts the late edits by position.
    mutating func sort() {
        late.sort { $0.value.lowerBound < $1.value.lowerBound }
    }
}
