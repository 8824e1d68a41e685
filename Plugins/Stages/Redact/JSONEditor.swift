// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Edits the values in JSON (RFC 8259) that rules name, and nothing else.
///
/// It reads one token at a time, without building a tree: every byte outside of the edits stays,
/// all duplicate keys are seen, and keys are decoded before they are compared. Several values may
/// follow each other, as in NDJSON and RFC 7464. It fails closed: if a token is not understood,
/// everything from there on is masked.
///
/// **Shape**: kept by a stage for its buffers; no other state is carried over between texts.
/// **Limits**: time is linear, depth is bounded.
struct JSONEditor {
    /// An open container.
    ///
    /// **Shape**: 64 bytes, to keep saving and restoring it cheap.
    struct Frame {
        var remover = ListItemRemover()
        /// Where the current item begins and its value ends.
        var item = 0..<0
        var index = 0
        /// Where the value of the current member begins, if it belongs to a pair.
        var valueStart = 0
        /// The rule that removes the current item.
        var removal: Rule?
        /// The rule for the value of the pair that the object is.
        var pairRule: Rule?
        /// The rule for each element: stand-ins replace elements, not whole arrays.
        let elementRule: Rule?
        /// The role of the current member in a pair.
        var role = JSONPairs.Role.none
        let isObject: Bool

        init(isObject: Bool, elementRule: Rule?) {
            self.isObject = isObject
            self.elementRule = elementRule
        }
    }

    /// What may come next.
    enum Expectation {
        case document, value, firstValue, key, firstKey, colon, comma
    }

    /// A container that is replaced whole.
    struct Redaction {
        let start: Int
        let rule: Rule
        let depth: Int
    }

    /// The innermost open container; its parents are in `parents`, indexed by depth.
    var frame = Frame(isObject: false, elementRule: nil)
    private var parents: [Frame] = []
    /// The number of open containers.
    private(set) var depth = 0
    private var states: [UInt64] = []
    private var scratch: [UInt8] = []
    /// The unescaped content of the current string, if it has escapes.
    var meaning: [UInt8] = []
    var pairs = JSONPairs()
    var names = MemberNames()
    var expectation = Expectation.document
    /// The rule for the next value.
    var rule: Rule?
    private var redaction: Redaction?
    var position = 0
    private(set) var end = 0

    /// Whether there are unclosed containers or members.
    var isOpen: Bool { depth > 0 || expectation != .document }
    /// Whether the text ended before its JSON did, without an error.
    private(set) var isCut = false

    /// Edits the JSON within a range; returns whether all of it was understood.
    @discardableResult
    mutating func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        depth = 0
        frame = Frame(isObject: false, elementRule: nil)
        if !rules.paths.isEmpty {
            states.removeAll(keepingCapacity: true)
            states.append(contentsOf: rules.paths.initial)
        }
        expectation = .document
        rule = nil
        redaction = nil
        pairs.reset()
        names.use(rules)
        position = JSONText.start(bytes, range)
        end = range.upperBound
        var isUnderstood = true
        while isUnderstood {
            if redaction == nil, rules.paths.isEmpty { pass(bytes, rules, &edits) }
            skipBlanks(bytes)
            guard position < end else { break }
            isUnderstood = step(bytes, rules, &edits)
        }
        isCut = isUnderstood ? isOpen : breaksOff(bytes)
        finish(isUnderstood, bytes, rules, &edits)
        return isUnderstood
    }

    /// Whether the part that was not understood is an unterminated string or an incomplete word.
    private func breaksOff(_ bytes: Span<UInt8>) -> Bool {
        guard position < end, expectation != .comma, expectation != .colon else { return false }
        if bytes[position] == .ascii("\"") { return true }
        return end - position < 9 && 0x61...0x7A ~= bytes[position] | 0x20
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            // The record separator of JSON text sequences (RFC 7464 §2.2).
            case 0x1E where expectation == .document: position += 1
            default: return
            }
        }
    }

    /// Reads one token; returns `false` if there is none.
    private mutating func step(
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        let byte = bytes[position]
        switch expectation {
        case .document:
            return value(bytes, rules, &edits)
        case .firstValue where byte == .ascii("]"), .firstKey where byte == .ascii("}"):
            return close(bytes, rules, &edits)
        case .value, .firstValue:
            beginElement(rules)
            return value(bytes, rules, &edits)
        case .key, .firstKey:
            return key(bytes, rules)
        case .colon:
            guard byte == .ascii(":") else { return false }
            position += 1
            expectation = .value
            return true
        case .comma:
            return comma(bytes, rules, &edits)
        }
    }

    /// Applies the edits that were deferred.
    private mutating func finish(
        _ isUnderstood: Bool,
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        if depth > 0, let removal = frame.removal, redaction == nil {
            frame.remover.remove(frame.item, next: nil, removal, &edits)
        }
        if rules.masksInDoubt {
            if let start = redaction?.start ?? (isUnderstood ? nil : position), start < end {
                rules.replace(bytes, start..<end, rules.inDoubt, .plain, &edits)
            }
            if depth > 0 { pairs.endedEarly(rules.inDoubt) }
        } else if let redaction {
            rules.replace(bytes, redaction.start..<end, redaction.rule, .plain, &edits)
        } else if !isUnderstood, position < end {
            if let rule {
                rules.replace(bytes, position..<end, rule, .plain, &edits)
            } else {
                TextEditor(rules: rules, isQuery: true).edit(bytes, position..<end, &edits)
            }
        }
        if !pairs.late.isEmpty { editLatePairs(bytes, rules, &edits) }
    }

    /// Edits the values of pairs that came before their names.
    private mutating func editLatePairs(
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        pairs.sort()
        var all = EditList()
        for late in pairs.late {
            if late.rule.action == .remove {
                all.remove(late.member, late.rule)
            } else {
                replace(late.value, late.rule, bytes, rules, &all)
            }
        }
        all.merge(edits)
        edits = all
    }
}

// MARK: - Tokens

extension JSONEditor {
    private mutating func key(_ bytes: Span<UInt8>, _ rules: RuleSet) -> Bool {
        guard bytes[position] == .ascii("\""),
            let (keyEnd, isEscaped) = JSONText.endOfString(bytes, position, end)
        else { return false }
        let name = bytes.extracting(position + 1..<keyEnd - 1)
        if redaction == nil {
            frame.item = position..<position
            rule =
                isEscaped
                ? decodedRule(name, rules)
                : pathRule(for: name, rules) ?? names.rule(of: position + 1..<keyEnd - 1, in: bytes)
        }
        frame.role = JSONPairs.Role(of: name)
        position = keyEnd
        expectation = .colon
        return true
    }

    private mutating func decodedRule(
        _ key: Span<UInt8>,
        _ rules: RuleSet
    ) -> Rule? {
        var decoded = scratch
        scratch = []
        decoded.removeAll(keepingCapacity: true)
        JSONText.decode(key, to: &decoded)
        let rule = pathRule(for: decoded.span, rules) ?? rules.json.rule(forNested: decoded.span)
        scratch = decoded
        return rule
    }

    /// Returns the rule for the path that a key continues.
    private mutating func pathRule(for key: Span<UInt8>, _ rules: RuleSet) -> Rule? {
        guard !rules.paths.isEmpty else { return nil }
        return rules.paths.descend(from: depth - 1, &states, name: key)
    }

    /// Begins an element; the key of a member has already prepared its value.
    private mutating func beginElement(_ rules: RuleSet) {
        guard redaction == nil, !frame.isObject else { return }
        frame.item = position..<position
        rule = frame.elementRule
        if !rules.paths.isEmpty,
            let found = rules.paths.descend(from: depth - 1, &states, index: frame.index)
        {
            rule = found
        }
    }

    private mutating func value(
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        let start = position
        let isString = bytes[position] == .ascii("\"")
        var isEscaped = false
        if frame.role == .value {
            frame.valueStart = start
            if rule == nil, redaction == nil { rule = frame.pairRule }
        }
        switch bytes[position] {
        case .ascii("{"), .ascii("["):
            guard depth < rules.limits.maxDepth else { return false }
            let isObject = bytes[position] == .ascii("{")
            let elementRule = isObject || rule?.action != .pseudonym ? nil : rule
            if redaction == nil, elementRule == nil, let rule {
                redaction = Redaction(start: start, rule: rule, depth: depth)
            }
            rule = nil
            open(isObject: isObject, elementRule: elementRule)
            return true
        case .ascii("\""):
            guard let string = JSONText.endOfString(bytes, position, end) else { return false }
            position = string.end
            isEscaped = string.isEscaped
        default:
            guard let end = JSONText.endOfScalar(bytes, position, end) else { return false }
            position = end
        }
        if redaction == nil {
            if frame.role == .name, isString {
                editPair(bytes.extracting(start + 1..<position - 1), rules)
            }
            if let named = rule, !rules.concerns(bytes.extracting(start..<position), named) {
                rule = nil
            }
            if let rule {
                replace(start..<position, rule, bytes, rules, &edits)
            } else if isString {
                let text = start + 1..<position - 1
                editText(text, isEscaped: isEscaped, bytes, rules, &edits)
            }
        }
        endValue(isEdited: rule != nil)
        return true
    }

    /// Enters a container whose bracket is the next byte.
    @inline(__always)
    mutating func open(isObject: Bool, elementRule: Rule?) {
        if depth < parents.count { parents[depth] = frame } else { parents.append(frame) }
        depth += 1
        frame = Frame(isObject: isObject, elementRule: elementRule)
        position += 1
        expectation = isObject ? .firstKey : .firstValue
    }

    /// Leaves a container whose bracket is the next byte.
    @inline(__always)
    mutating func leave() {
        if pairs.isWaiting { pairs.closed(depth: depth) }
        position += 1
        depth -= 1
        frame = parents[depth]
    }

    /// Reads the name of a pair: if a rule names it, the value is redacted, whether it comes before
    /// or after.
    private mutating func editPair(_ name: Span<UInt8>, _ rules: RuleSet) {
        guard let found = pairRule(name, rules) else { return }
        frame.pairRule = found
        pairs.named(found, depth: depth)
    }

    private mutating func pairRule(_ name: Span<UInt8>, _ rules: RuleSet) -> Rule? {
        let escape = name.firstIndex(ofEither: .ascii("\\"), .ascii("\\"), from: 0)
        guard escape < name.count else {
            return rules.json.rule(forNested: name) ?? rules.text.rule(forNested: name)
        }
        scratch.removeAll(keepingCapacity: true)
        JSONText.decode(name, to: &scratch)
        return rules.json.rule(forNested: scratch.span)
            ?? rules.text.rule(forNested: scratch.span)
    }

    /// Edits an array of two strings whose first is a name: `["password", "x"]`.
    ///
    /// Lists of fields and cookies use this form; the array is alone or within another array. Lists
    /// of names, as members of objects, are excluded.
    private mutating func editTuple(_ bytes: Span<UInt8>, _ rules: RuleSet) {
        guard let first = JSONPairs.first(ofTwo: bytes, before: frame.item.lowerBound),
            let found = pairRule(bytes.extracting(first), rules),
            !isName(bytes.extracting(frame.item.lowerBound + 1..<frame.item.upperBound - 1), rules)
        else { return }
        pairs.add(found, frame.item, member: first.upperBound + 1..<frame.item.upperBound)
    }

    /// Whether a string is exactly the name of a rule.
    private mutating func isName(_ text: Span<UInt8>, _ rules: RuleSet) -> Bool {
        scratch.removeAll(keepingCapacity: true)
        JSONText.decode(text, to: &scratch)
        return (rules.json.exactRule(for: scratch.span) ?? rules.text.exactRule(for: scratch.span))
            != nil
    }

    mutating func endValue(isEdited: Bool) {
        if frame.role != .none {
            if frame.role == .value, !isEdited, redaction == nil, frame.pairRule == nil {
                pairs.valueEnded(
                    frame.valueStart..<position,
                    member: frame.item.lowerBound,
                    depth: depth
                )
            }
            frame.role = .none
        }
        rule = nil
        expectation = depth == 0 ? .document : .comma
        frame.item = min(frame.item.lowerBound, position)..<position
    }

    private mutating func comma(
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        guard bytes[position] == .ascii(",") else { return close(bytes, rules, &edits) }
        position += 1
        frame.index += 1
        expectation = frame.isObject ? .key : .value
        guard redaction == nil else { return true }
        noteComma()
        if let removal = frame.removal {
            frame.removal = nil
            frame.remover.remove(frame.item, next: position, removal, &edits)
        } else {
            frame.remover.keep(until: frame.item.upperBound)
        }
        return true
    }

    /// Whether the array that ends has two elements and is not the value of a member.
    @inline(__always)
    var mayBeTuple: Bool { frame.index == 1 && !frame.isObject && !parents[depth - 1].isObject }

    /// Notes that a comma ended at the current position.
    @inline(__always)
    mutating func noteComma() {
        if pairs.isWaiting { pairs.commaEnded(position, depth: depth) }
    }

    private mutating func close(
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) -> Bool {
        guard bytes[position] == (frame.isObject ? .ascii("}") : .ascii("]")) else {
            return false
        }
        if let removal = frame.removal, redaction == nil {
            frame.remover.remove(frame.item, next: nil, removal, &edits)
        }
        if mayBeTuple, redaction == nil, bytes[frame.item.lowerBound] == .ascii("\"") {
            editTuple(bytes, rules)
        }
        leave()
        var isEdited = false
        if let whole = redaction, whole.depth == depth {
            redaction = nil
            replace(whole.start..<position, whole.rule, bytes, rules, &edits)
            isEdited = true
        }
        endValue(isEdited: isEdited)
        return true
    }

    private mutating func replace(
        _ range: Range<Int>,
        _ rule: Rule,
        _ bytes: Span<UInt8>,
        _ rules: RuleSet,
        _ edits: inout EditList
    ) {
        let isString = bytes[range.lowerBound] == .ascii("\"")
        switch rule.action {
        case .remove where depth > 0:
            frame.removal = rule
        case .remove:
            edits.remove(range, rule)
        case .mask where !rules.readsValue(rule):
            edits.add(range, rule) { output in
                rules.replacement.append(
                    .mask,
                    of: bytes.extracting(0..<0),
                    as: .json,
                    to: &output
                )
            }
        case .pseudonym where !isString:
            rules.report(bytes.extracting(range), rule)
            edits.add(range, rule) { output in
                rules.replacement.appendStandIn(
                    ofScalar: bytes.extracting(range),
                    to: &output
                )
            }
        case .mask, .hash, .pseudonym:
            var secret: [UInt8] = []
            if isString {
                let inner = range.lowerBound + 1..<range.upperBound - 1
                JSONText.decode(bytes.extracting(inner), to: &secret)
            } else {
                secret.append(copying: bytes.extracting(range))
            }
            rules.report(secret.span, rule)
            edits.add(range, rule) { output in
                rules.replacement.append(rule.action, of: secret.span, as: .json, to: &output)
            }
        }
    }
}
