// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Pairs that are objects of their own: `{"name":"password","value":"x"}`, or with `key`, `field` and
/// other words for a name.
///
/// A value that comes before its name waits until its object is read: where the name turns out to
/// be a rule's, it is edited afterwards, and where the text breaks off before that, it is in doubt.
struct JSONPairs {
    /// What a member is to a pair.
    enum Role: UInt8 {
        case none, name, value

        /// The part that a name of a member means.
        init(of key: Span<UInt8>) {
            self = .none
            guard !key.isEmpty, let (word, role) = Role.word(key.count, key[0] | 0x20),
                key.equalsIgnoringCase(word)
            else { return }
            self = role
        }

        /// The only word that a name of a length and with a first letter may be.
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
            // What servers answer of a field that they do not accept.
            case (4, .ascii("p")): ("path", .name)
            case (5, .ascii("p")): ("param", .name)
            case (8, .ascii("p")): ("property", .name)
            case (9, .ascii("p")): ("parameter", .name)
            default: nil
            }
        }
    }

    /// A value that is to be edited when all has been read.
    struct LateEdit {
        let value: Range<Int>
        /// What goes where the value goes: its member with the comma after it.
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

    /// Whether a value waits for its name.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Forgets all of another text.
    mutating func reset() {
        // Most are empty, and to empty one costs more than to look.
        if !waiting.isEmpty { waiting.removeAll(keepingCapacity: true) }
        if !late.isEmpty { late.removeAll(keepingCapacity: true) }
    }

    /// The value of a pair came before its name.
    mutating func valueEnded(_ value: Range<Int>, member: Int, depth: Int) {
        waiting.append(Waiting(depth: depth, value: value, member: member..<value.upperBound))
    }

    /// A comma after the present member ended at a place.
    mutating func commaEnded(_ end: Int, depth: Int) {
        guard let last = waiting.last, last.depth == depth,
            last.member.upperBound == last.value.upperBound
        else { return }
        waiting[waiting.count - 1].member = last.member.lowerBound..<end
    }

    /// The name of a pair came, and a rule names it.
    mutating func named(_ rule: Rule, depth: Int) {
        while let last = waiting.last, last.depth == depth {
            late.append(LateEdit(value: last.value, member: last.member, rule: rule))
            waiting.removeLast()
        }
    }

    /// A value goes by a rule, when all has been read.
    mutating func add(_ rule: Rule, _ value: Range<Int>, member: Range<Int>) {
        late.append(LateEdit(value: value, member: member, rule: rule))
    }

    /// The text of the first of two elements, by what stands before the second; `nil` if it is
    /// no string, or a long one.
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

    /// An object ended; what waited in it is no pair of a rule's.
    mutating func closed(depth: Int) {
        while let last = waiting.last, last.depth >= depth { waiting.removeLast() }
    }

    /// The text ended within objects: what waits in them may be secret.
    mutating func brokeOff(_ rule: Rule) {
        for pair in waiting {
            late.append(LateEdit(value: pair.value, member: pair.member, rule: rule))
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Brings the late edits into the order of their places.
    mutating func sort() {
        late.sort { $0.value.lowerBound < $1.value.lowerBound }
    }
}
