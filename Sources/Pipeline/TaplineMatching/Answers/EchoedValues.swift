// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The values of a recorded request for which a live request has others, as replacements for its
/// answer.
///
/// A value is compared with the one at the same place of the live request: a segment of the path, an
/// item of the query, a field, a cookie, or a value of a JSON body or of a form. How far it reaches in
/// an answer depends on how much it looks like an id:
///
/// - up to three bytes, and masks: at places of the same name;
/// - longer ones: also as whole values;
/// - those with a digit: also as words within texts.
struct EchoedValues {
    /// A value and the live one at its place.
    struct Echo {
        let recorded: [UInt8]
        let live: [UInt8]
    }

    /// The largest size of a value.
    private static let maxValue = 4096
    /// The largest size of a value that counts at places of the same name only.
    private static let shortValue = 3

    /// The live values in place of whole values.
    private(set) var whole: [[UInt8]: [UInt8]] = [:]
    /// The live values in place of words.
    private(set) var words: [[UInt8]: [UInt8]] = [:]
    /// The live values in place of recorded ones, by the name of their place in lower case; of several
    /// live ones, the first.
    private var named: [String: [[UInt8]: [UInt8]]] = [:]
    /// The segments of the path, from 1.
    private var segments: [Int: Echo] = [:]
    /// The live segments in place of recorded ones; of several live ones, the first.
    private var liveSegments: [[UInt8]: [UInt8]] = [:]

    /// Finds the values that differ.
    ///
    /// - Parameters:
    ///   - recorded: The recorded request.
    ///   - live: The request that its answer is for.
    ///   - masks: The texts that replace values in recordings.
    init(recorded: borrowing Request, live: borrowing Request, masks: Set<String>) {
        let masks = masks.filter { !$0.isEmpty }.map { Array($0.utf8) }
        let former = RequestValues(recorded).values
        let counts = former.reduce(into: [ValuePlace: Int]()) { $0[$1.place, default: 0] += 1 }
        let now = Dictionary(grouping: RequestValues(live).values, by: \.place)
        var next: [ValuePlace: Int] = [:]
        var ambiguous: Set<[UInt8]> = []
        for value in former {
            // Of values at the same place, as in arrays, the first belongs to the first, and so on.
            let number = next[value.place, default: 0]
            next[value.place] = number + 1
            guard let others = now[value.place], others.count == counts[value.place] else {
                continue
            }
            let echo = Echo(recorded: value.bytes, live: others[number].bytes)
            guard max(echo.recorded.count, echo.live.count) <= Self.maxValue else { continue }
            let isMasked = masks.contains {
                echo.recorded.span.contains($0.span, ignoringCase: false)
            }
            add(echo, at: value.place, isMasked, &ambiguous)
        }
        // A value that has to stay at one place and to change at another stays everywhere else.
        for value in ambiguous { whole[value] = nil }
        whole = whole.filter { $0.key != $0.value }
        words = whole.filter { recorded, live in
            recorded.contains(where: \.isDigit) && recorded.allSatisfy(\.isInWord)
                && live.allSatisfy(\.isInWord)
        }
    }

    private mutating func add(
        _ echo: Echo,
        at place: ValuePlace,
        _ isMasked: Bool,
        _ ambiguous: inout Set<[UInt8]>
    ) {
        if echo.recorded != echo.live {
            if case .segment(let number) = place.part {
                segments[number] = echo
                if liveSegments[echo.recorded] == nil { liveSegments[echo.recorded] = echo.live }
            }
            let name = place.name.lowercased()
            if !name.isEmpty, named[name]?[echo.recorded] == nil {
                named[name, default: [:]][echo.recorded] = echo.live
            }
        }
        guard echo.recorded.count > Self.shortValue, !isMasked else { return }
        if let other = whole.updateValue(echo.live, forKey: echo.recorded), other != echo.live {
            ambiguous.insert(echo.recorded)
        }
    }

    /// Whether there is nothing to replace.
    var isEmpty: Bool { whole.isEmpty && named.isEmpty && segments.isEmpty }

    // MARK: Replacements

    /// The live value in place of a whole value of an answer.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: The name of its place, such as that of a member.
    /// - Returns: The live value; `nil` if the value stays.
    func replacement(for value: [UInt8], named name: String) -> [UInt8]? {
        if let live = whole[value] { return live }
        if let live = named[name.lowercased()]?[value] { return live }
        return name.namesID ? liveSegments[value] : nil
    }

    /// The live value in place of a segment of a path.
    func segment(_ value: [UInt8], at number: Int) -> [UInt8]? {
        if let echo = segments[number], echo.recorded == value { return echo.live }
        return whole[value]
    }

    /// Replaces words within a text; `nil` if there is none to replace.
    func replacingWords(in text: [UInt8]) -> [UInt8]? {
        guard !words.isEmpty else { return nil }
        var edits: [ByteEdit] = []
        var start = 0
        while start < text.count {
            guard text[start].isInWord else {
                start += 1
                continue
            }
            var end = start + 1
            while end < text.count, text[end].isInWord { end += 1 }
            if end - start <= Self.maxValue, let live = words[Array(text[start..<end])] {
                edits.append(ByteEdit(range: start..<end, bytes: live))
            }
            start = end
        }
        return edits.isEmpty ? nil : ByteEdit.apply(edits, to: text)
    }
}

extension UInt8 {
    /// Whether the byte belongs to a word, such as an id; those of other letters do.
    fileprivate var isInWord: Bool {
        isLetter || isDigit || self == .ascii("_") || self == .ascii("-") || self >= 0x80
    }
}

extension String {
    /// Whether a member with this name has an id: `id`, `user_id`, `userId`, `userID`.
    fileprivate var namesID: Bool {
        lowercased() == "id" || hasSuffix("Id") || hasSuffix("ID") || hasSuffix("_id")
            || hasSuffix("-id")
    }
}
