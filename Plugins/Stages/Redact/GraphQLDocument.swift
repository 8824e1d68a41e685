// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The secrets in a GraphQL document (October 2021 specification, §2): texts and numbers passed to
/// arguments that a rule names, and variables bound to such arguments.
///
/// The argument may belong to a field or a directive, or be a field of an input object. If a rule
/// names the field (`changePassword`), arguments such as `old` and `new` count too.
///
/// **Limits**: time is linear; nesting deeper than 256 is not understood.
struct GraphQLDocument {
    /// A text or a number to redact.
    struct Value {
        /// The content between the quotes of a text; a number as a whole.
        let range: Range<Int>
        let isText: Bool
        let rule: Rule
    }

    private enum Kind {
        case selection, arguments, definitions, object, list
    }

    private struct Frame {
        let kind: Kind
        /// The rule for all content within.
        var rule: Rule?
        /// The rule of the field that these arguments belong to.
        var field: Rule?
    }

    private(set) var values: [Value] = []
    private(set) var variables: [[UInt8]: Rule] = [:]
    /// Other texts, and comments.
    private(set) var texts: [Range<Int>] = []
    /// Whether the whole document was understood.
    private(set) var isUnderstood = true

    private var frames: [Frame] = []
    private var name = 0..<0
    private var variable = 0..<0
    /// Whether a value comes next, and the rule for it.
    private var expectsValue = false
    private var rule: Rule?
    /// The default values of variables that may later turn out to be secrets.
    private var defaults: [(variable: Range<Int>, value: Range<Int>, isText: Bool)] = []
    private let rules: RuleSet

    init(_ bytes: Span<UInt8>, _ rules: RuleSet) {
        self.rules = rules
        read(bytes)
        for value in defaults {
            let name = bytes.extracting(value.variable)
            guard let rule = variables[Array(copying: name)] ?? rules.text.rule(forNested: name)
            else { continue }
            values.append(Value(range: value.value, isText: value.isText, rule: rule))
        }
        if !defaults.isEmpty { values.sort { $0.range.lowerBound < $1.range.lowerBound } }
    }

    /// Whether a text begins like a document: with a selection, a keyword or a comment.
    static func isLikely(_ bytes: Span<UInt8>) -> Bool {
        var start = 0
        while start < bytes.count, bytes[start] <= 0x20 || bytes[start] == .ascii(",") {
            start += 1
        }
        let rest = bytes.extracting(start..<bytes.count)
        guard !rest.isEmpty else { return false }
        if rest[0] == .ascii("{") || rest[0] == .ascii("#") { return true }
        for keyword in ["query", "mutation", "subscription", "fragment"]
        where rest.starts(with: keyword) {
            return true
        }
        return false
    }

    private static let maxDepth = 256

    private mutating func read(_ bytes: Span<UInt8>) {
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case 0...0x20, .ascii(","): position += 1
            case .ascii("#"):
                position = takeComment(bytes, position + 1)
            case .ascii("\""):
                guard let text = GraphQLDocument.text(bytes, position) else {
                    isUnderstood = false
                    return
                }
                take(text.content, isText: true)
                position = text.end
            case .ascii("-"), 0x30...0x39:
                let start = position
                while position < bytes.count, isScalar(bytes[position]) { position += 1 }
                take(start..<position, isText: false)
            case .ascii("$"):
                let word = word(bytes, position + 1)
                takeVariable(word, bytes)
                position = word.upperBound
            case .ascii("("), .ascii("{"), .ascii("["):
                guard frames.count < GraphQLDocument.maxDepth else {
                    isUnderstood = false
                    return
                }
                open(byte, bytes)
                position += 1
            case .ascii(")"), .ascii("}"), .ascii("]"):
                guard frames.popLast() != nil else {
                    isUnderstood = false
                    return
                }
                endValue()
                position += 1
            case .ascii(":"):
                colon(bytes)
                position += 1
            case .ascii("="):
                if frames.last?.kind != .definitions { isUnderstood = false }
                expectsValue = true
                position += 1
            case .ascii("!"), .ascii("."), .ascii("@"), .ascii("|"), .ascii("&"):
                position += 1
            default:
                let word = word(bytes, position)
                if word.isEmpty {
                    isUnderstood = false
                    position += 1
                } else {
                    takeWord(word)
                    position = word.upperBound
                }
            }
        }
        if !frames.isEmpty { isUnderstood = false }
    }

    /// Records a comment; returns where it ends.
    private mutating func takeComment(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        texts.append(start..<end)
        return end
    }

    private func isScalar(_ byte: UInt8) -> Bool {
        byte.isDigit || byte == .ascii("-") || byte == .ascii("+") || byte == .ascii(".")
            || byte | 0x20 == .ascii("e")
    }

    private func word(_ bytes: Span<UInt8>, _ start: Int) -> Range<Int> {
        var end = start
        while end < bytes.count {
            switch bytes[end] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, .ascii("_"), 0x80...0xFF: end += 1
            default: return start..<end
            }
        }
        return start..<end
    }

    /// Returns a string or a block string (§2.9.4), and where it ends.
    private static func text(_ bytes: Span<UInt8>, _ start: Int) -> (content: Range<Int>, end: Int)?
    {
        let rest = bytes.extracting(start..<bytes.count)
        let isBlock = rest.starts(with: "\"\"\"")
        var position = start + (isBlock ? 3 : 1)
        let first = position
        while position < bytes.count {
            if bytes[position] == .ascii("\\") {
                position +=
                    isBlock
                        && !bytes.extracting(position + 1..<bytes.count)
                            .starts(with: "\"\"\"")
                    ? 1 : isBlock ? 4 : 2
                continue
            }
            if bytes[position] == .ascii("\"") {
                guard isBlock else { return (first..<position, position + 1) }
                if bytes.extracting(position..<bytes.count).starts(with: "\"\"\"") {
                    return (first..<position, position + 3)
                }
            }
            position += 1
        }
        return nil
    }
}

// MARK: - Grammar

extension GraphQLDocument {
    private mutating func open(_ byte: UInt8, _ bytes: Span<UInt8>) {
        let inherited = expectsValue ? rule ?? frames.last?.rule : frames.last?.rule
        switch byte {
        case .ascii("("):
            let isDefinition = frames.isEmpty
            let field = isDefinition ? nil : named(bytes)
            frames.append(Frame(kind: isDefinition ? .definitions : .arguments, field: field))
        case .ascii("["):
            frames.append(Frame(kind: .list, rule: inherited))
        default:
            let isValue = expectsValue || frames.last?.kind == .list
            frames.append(
                Frame(kind: isValue ? .object : .selection, rule: isValue ? inherited : nil)
            )
        }
        expectsValue = false
        rule = nil
    }

    private func named(_ bytes: Span<UInt8>) -> Rule? {
        name.isEmpty ? nil : rules.text.rule(forNested: bytes.extracting(name))
    }

    private mutating func colon(_ bytes: Span<UInt8>) {
        guard let frame = frames.last else {
            isUnderstood = false
            return
        }
        guard frame.kind == .arguments || frame.kind == .object else { return }
        expectsValue = true
        rule = named(bytes)
        if rule == nil, let field = frame.field,
            GraphQLDocument.isGeneric(bytes.extracting(name))
        {
            rule = field
        }
    }

    /// Whether an argument is the subject of its field: `changePassword(old: "…", new: "…")`.
    private static func isGeneric(_ name: Span<UInt8>) -> Bool {
        for known in [
            "old", "new", "current", "previous", "value", "to", "from", "confirm", "confirmation",
        ]
        where name.equalsIgnoringCase(known) {
            return true
        }
        return false
    }

    private mutating func endValue() {
        expectsValue = false
        rule = nil
        name = 0..<0
    }

    private mutating func takeWord(_ word: Range<Int>) {
        if expectsValue {
            // An enumeration, `true` or `null`.
            endValue()
        } else {
            name = word
        }
    }

    /// Reads a variable: its definition, or the value of an argument.
    private mutating func takeVariable(_ word: Range<Int>, _ bytes: Span<UInt8>) {
        guard let frame = frames.last else { return }
        if frame.kind == .definitions {
            variable = word
            return
        }
        if let found = rule ?? frame.rule, variables.count < 1024 {
            variables[Array(copying: bytes.extracting(word))] = found
        }
        endValue()
    }

    private mutating func take(_ range: Range<Int>, isText: Bool) {
        defer { endValue() }
        guard let frame = frames.last, frame.kind != .selection else {
            // No value is allowed here: the text is in another language.
            isUnderstood = false
            return
        }
        guard !range.isEmpty else { return }
        if frame.kind == .definitions {
            if expectsValue { defaults.append((variable, range, isText)) }
            return
        }
        guard let found = rule ?? frame.rule else {
            if isText { texts.append(range) }
            return
        }
        values.append(Value(range: range, isText: isText, rule: found))
    }
}
