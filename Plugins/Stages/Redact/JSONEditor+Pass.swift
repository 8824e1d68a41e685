// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The fast path through JSON that no rule matches, which is most of it.
///
/// It reads like the slow path and falls back to it for names that may have a rule or belong to
/// pairs, names with escapes, and anything malformed.
extension JSONEditor {
    /// Continues to the next token that requires the slow path, in a text without path rules.
    mutating func pass(_ bytes: Span<UInt8>, _ rules: RuleSet, _ edits: inout EditList) {
        let text = bytes.extracting(0..<end)
        var goesOn = true
        while goesOn {
            switch expectation {
            case .key, .firstKey: goesOn = passMembers(text, rules, &edits)
            case .value, .firstValue:
                guard !frame.isObject, frame.elementRule == nil else { return }
                goesOn = passElements(text, rules, &edits)
            case .comma:
                goesOn = frame.removal == nil && passItem(text)
            case .document, .colon: return
            }
        }
    }

    /// Skips what follows the current item; returns `false` if the slow path is required.
    private mutating func passItem(_ text: Span<UInt8>) -> Bool {
        guard let next = passComma(text, frame.item.upperBound) else {
            return passLast(text, frame.item)
        }
        position = next
        expectation = frame.isObject ? .key : .value
        noteComma()
        return true
    }

    /// Reads members up to the beginning or end of another container; returns `false` if one
    /// requires the slow path.
    private mutating func passMembers(
        _ text: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        var start = text.nextNoBlank(from: position)
        if expectation == .firstKey, start < text.count, text[start] == .ascii("}") {
            return passEnd(start)
        }
        while true {
            // The slow path has to begin here.
            position = start
            guard let keyEnd = text.endOfPlainString(start),
                let role = names.plainRole(of: start + 1..<keyEnd - 1, in: text)
            else { return false }
            let colon = text.nextNoBlank(from: keyEnd)
            guard colon < text.count, text[colon] == .ascii(":") else { return false }
            let value = text.nextNoBlank(from: colon + 1)
            if role == .name, mayNamePair(text, value, rules) { return false }
            guard let valueEnd = passValue(text, value, rules, &edits) else {
                // The name needs no further check.
                frame.item = start..<start
                position = value
                expectation = .value
                return passBeginning(text, rules)
            }
            guard let next = passComma(text, valueEnd) else {
                return passLast(text, start..<valueEnd)
            }
            expectation = .key
            if pairs.isWaiting { pairs.commaEnded(next, depth: depth) }
            start = text.nextNoBlank(from: next)
        }
    }

    /// Whether a value may be the name of a pair that a rule matches.
    private func mayNamePair(_ text: Span<UInt8>, _ start: Int, _ rules: RuleSet) -> Bool {
        guard start < text.count else { return true }
        guard text[start] == .ascii("\"") else { return text[start] | 0x20 == .ascii("{") }
        guard let end = text.endOfPlainString(start) else { return true }
        return rules.pairNames.mayMatch(text.extracting(start + 1..<end - 1))
    }

    /// Reads elements in the same way; in an array, no value waits for its name.
    private mutating func passElements(
        _ text: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        var start = text.nextNoBlank(from: position)
        if expectation == .firstValue, start < text.count, text[start] == .ascii("]") {
            return passEnd(start)
        }
        while true {
            guard let valueEnd = passValue(text, start, rules, &edits) else {
                frame.item = start..<start
                position = start
                return passBeginning(text, rules)
            }
            guard let next = passComma(text, valueEnd) else {
                return passLast(text, start..<valueEnd)
            }
            expectation = .value
            start = text.nextNoBlank(from: next)
        }
    }

    /// Returns where a scalar that begins at a position ends; `nil` if there is none.
    @inline(__always)
    private mutating func passValue(
        _ text: Span<UInt8>,
        _ start: Int,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Int? {
        guard start < text.count else { return nil }
        switch text[start] {
        case .ascii("{"), .ascii("["): return nil
        case .ascii("\""):
            guard let string = JSONText.endOfString(text, start, text.count) else { return nil }
            let inner = start + 1..<string.end - 1
            editText(inner, isEscaped: string.isEscaped, text, rules, &edits)
            return string.end
        default: return JSONText.endOfScalar(text, start, text.count)
        }
    }

    /// Enters the container that begins at the current position; returns `false` if there is none.
    private mutating func passBeginning(_ text: Span<UInt8>, _ rules: RuleSet) -> Bool {
        guard position < text.count, depth < rules.limits.maxDepth else { return false }
        switch text[position] {
        case .ascii("{"): open(isObject: true, elementRule: nil)
        case .ascii("["): open(isObject: false, elementRule: nil)
        default: return false
        }
        return true
    }

    /// Returns the position after the comma that follows an item; `nil` if there is none.
    @inline(__always)
    private mutating func passComma(_ text: Span<UInt8>, _ itemEnd: Int) -> Int? {
        let next = text.nextNoBlank(from: itemEnd)
        guard next < text.count, text[next] == .ascii(",") else { return nil }
        frame.remover.keep(until: itemEnd)
        frame.index += 1
        return next + 1
    }

    /// Skips an item without a comma after it, and the closing bracket; returns `false` if there is
    /// none.
    private mutating func passLast(_ text: Span<UInt8>, _ item: Range<Int>) -> Bool {
        let next = text.nextNoBlank(from: item.upperBound)
        if next < text.count, text[next] == (frame.isObject ? .ascii("}") : .ascii("]")),
            !mayBeTuple
        {
            return passEnd(next)
        }
        frame.item = item
        position = item.upperBound
        expectation = .comma
        return false
    }

    /// Leaves the container whose bracket is at a position.
    private mutating func passEnd(_ place: Int) -> Bool {
        position = place
        leave()
        endValue(isEdited: false)
        return depth > 0
    }
}

extension Span where Element == UInt8 {
    /// Returns the position after the closing quote of a string without escapes; `nil` if none
    /// begins.
    @inline(__always)
    fileprivate func endOfPlainString(_ start: Int) -> Int? {
        guard start < count, self[start] == .ascii("\"") else { return nil }
        let end = nextQuote(from: start + 1)
        guard end < count, self[end] == .ascii("\"") else { return nil }
        return end + 1
    }
}
