// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The short way through members and elements that no rule concerns, which most of them are.
///
/// It reads as the long way does, and leaves what needs a closer look to that: names that may have a
/// rule, or belong to pairs, names and strings with escapes, containers, and all that is broken.
extension JSONEditor {
    /// Goes on to the next token that needs the long way, in a text without rules by path.
    mutating func pass(_ bytes: Span<UInt8>, _ rules: RuleSet, _ edits: inout EditList) {
        let text = bytes.extracting(0..<end)
        switch expectation {
        case .key, .firstKey: passMembers(text, rules, &edits)
        case .value, .firstValue:
            if !frame.isObject, frame.elementRule == nil { passElements(text, rules, &edits) }
        case .document, .colon, .comma: break
        }
    }

    private mutating func passMembers(
        _ text: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        while true {
            let start = text.firstNonBlank(from: position)
            guard let keyEnd = text.endOfPlainString(start) else { return }
            let name = text.extracting(start + 1..<keyEnd - 1)
            let role = JSONPairs.Role(of: name)
            if role == .value || rules.json.mayMatch(name) { return }
            let colon = text.firstNonBlank(from: keyEnd)
            guard colon < text.count, text[colon] == .ascii(":") else { return }
            let value = text.firstNonBlank(from: colon + 1)
            if role == .name, mayNamePair(text, value, rules) { return }
            guard let valueEnd = passValue(text, value, rules, &edits) else {
                // The name needs no second look.
                frame.item = start..<start
                position = value
                expectation = .value
                return
            }
            guard passComma(text, start, valueEnd) else { return }
            expectation = .key
        }
    }

    /// Whether a value may be the name of a pair that a rule concerns.
    private func mayNamePair(_ text: Span<UInt8>, _ start: Int, _ rules: RuleSet) -> Bool {
        guard start < text.count else { return true }
        guard text[start] == .ascii("\"") else { return text[start] | 0x20 == .ascii("{") }
        guard let end = text.endOfPlainString(start) else { return true }
        let name = text.extracting(start + 1..<end - 1)
        return rules.json.mayMatch(name) || rules.text.mayMatch(name)
    }

    private mutating func passElements(
        _ text: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        while true {
            let start = text.firstNonBlank(from: position)
            guard let valueEnd = passValue(text, start, rules, &edits),
                passComma(text, start, valueEnd)
            else { return }
            frame.index += 1
            expectation = .value
        }
    }

    /// Where a scalar ends that begins at a place; nothing where it needs the long way.
    @inline(__always)
    private func passValue(
        _ text: Span<UInt8>,
        _ start: Int,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Int? {
        guard start < text.count else { return nil }
        switch text[start] {
        case .ascii("{"), .ascii("["): return nil
        case .ascii("\""):
            guard let valueEnd = text.endOfPlainString(start) else { return nil }
            if valueEnd - start > 10 { editText(start + 1..<valueEnd - 1, text, rules, &edits) }
            return valueEnd
        default: return JSONText.endOfScalar(text, start, text.count)
        }
    }

    /// Ends an item; tells whether there is another.
    @inline(__always)
    private mutating func passComma(_ text: Span<UInt8>, _ start: Int, _ valueEnd: Int) -> Bool {
        let next = text.firstNonBlank(from: valueEnd)
        guard next < text.count, text[next] == .ascii(",") else {
            frame.item = start..<valueEnd
            position = valueEnd
            expectation = .comma
            return false
        }
        frame.cutter.keep(until: valueEnd)
        position = next + 1
        return true
    }
}

extension Span where Element == UInt8 {
    /// The place of the first byte that is not blank in JSON (RFC 8259 §2); the count where none is.
    @inline(__always)
    fileprivate func firstNonBlank(from start: Int) -> Int {
        var index = start
        while index < count, self[index] <= 0x20,
            self[index] == 0x20 || self[index] == 0x0A || self[index] == 0x0D
                || self[index] == 0x09
        {
            index += 1
        }
        return index
    }

    /// Where a string without escapes ends, behind its quote; nothing where none begins.
    @inline(__always)
    fileprivate func endOfPlainString(_ start: Int) -> Int? {
        guard start < count, self[start] == .ascii("\"") else { return nil }
        let end = firstIndex(ofEither: .ascii("\""), .ascii("\\"), from: start + 1)
        guard end < count, self[end] == .ascii("\"") else { return nil }
        return end + 1
    }
}
