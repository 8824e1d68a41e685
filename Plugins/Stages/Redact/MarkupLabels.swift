// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds values that visible texts of HTML name: `<dt>Password</dt><dd>…`, rows and columns of
/// tables, `<label>Password</label> …`, `<label for=x>` and `<input id=x>`, `<b>Password:</b> …`,
/// `<b>Password</b>: …`, `<select name=token><option value=…>`.
///
/// Text that pages show instead of a secret, or about it, stays: `Change`, `••••`, sentences.
///
/// **Limits**: a label has at most 96 bytes; 16 nested tables, 256 labels with `for`.
struct MarkupLabels {
    /// The text of an element while it is read.
    private struct Capture {
        var text: [UInt8] = []
        var isTooLong = false

        mutating func append(_ text: Span<UInt8>) {
            guard !isTooLong else { return }
            guard text.count <= MarkupLabels.longest else {
                isTooLong = true
                return
            }
            for index in text.indices {
                // A non-breaking space has two bytes, of which one is enough.
                if text[index] == 0xC2, index + 1 < text.count, text[index + 1] == 0xA0 { continue }
                let isBlank = text[index] == 0xA0 && index > 0 && text[index - 1] == 0xC2
                let byte = isBlank ? 0x20 : text[index]
                if byte > 0x20 {
                    self.text.append(byte)
                } else if !self.text.isEmpty, self.text[self.text.count - 1] != 0x20 {
                    self.text.append(0x20)
                }
            }
            if self.text.count > MarkupLabels.longest { isTooLong = true }
        }
    }

    /// How the next text was named.
    private enum Origin {
        case label
        /// By a text that ends with a colon.
        case colon
        /// By a text and a colon in separate elements, as in highlighted code: the value is code,
        /// unless it is quoted or can only be a secret.
        case sign
        /// The same, followed by the opening quote of the value.
        case quote
    }

    private static let longest = 96
    private static let maxTables = 16
    private static let maxTargets = 256

    private let rules: RuleSet
    private var tables: [MarkupTable] = []
    private var hiddenTables = 0
    private var cell = Capture()
    private var term: Capture?
    private var termRule: Rule?
    private var isDescription = false
    private var label: (capture: Capture, target: [UInt8], isForBox: Bool)?
    /// The rule that the previous text names for the next text or field.
    private var pending: (rule: Rule, origin: Origin)?
    /// The text read last, if it is short.
    private var previous: Range<Int>?
    /// The rule for the options of a list.
    private var choice: Rule?
    /// The rules of labels, by the ids of their fields.
    private var targets: [[UInt8]: Rule] = [:]
    /// Fields with values that have no label yet.
    private var fields: [(id: [UInt8], value: Range<Int>)] = []
    /// Fields whose label came after them.
    private(set) var late: [(value: Range<Int>, rule: Rule)] = []

    init(_ rules: RuleSet) { self.rules = rules }

    /// Whether a text may belong to something.
    private var isCapturing: Bool {
        label != nil || term != nil || (tables.last?.isInCell ?? false)
    }

    /// Returns the rule that a label names.
    private func rule(_ capture: Capture) -> Rule? {
        capture.isTooLong ? nil : rule(labelled: capture.text.span)
    }

    private func rule(labelled text: Span<UInt8>) -> Rule? {
        guard !text.isEmpty else { return nil }
        let name = MarkupLabels.bare(text)
        guard 2...MarkupLabels.longest ~= name.count else { return nil }
        let label = text.extracting(name)
        var blanks = 0
        for index in label.indices where label[index] == 0x20 { blanks += 1 }
        // More words are a sentence: `Forgot your password?`
        guard blanks <= 2, text[text.count - 1] != .ascii("?") else { return nil }
        return rules.text.rule(forNested: label)
    }

    /// Returns a label without trailing punctuation and surrounding blanks.
    private static func bare(_ text: Span<UInt8>) -> Range<Int> {
        var end = text.count
        while end > 0 {
            let byte = text[end - 1]
            guard byte <= 0x20 || byte == .ascii(":") || byte == .ascii("*") || byte == .ascii("=")
            else { break }
            end -= 1
        }
        var start = 0
        while start < end, text[start] <= 0x20 { start += 1 }
        return start..<end
    }
}

// MARK: - Tags

extension MarkupLabels {
    /// Begins an element; returns the rule for the value of a field that no attribute names.
    mutating func began(_ tag: MarkupTag, _ bytes: Span<UInt8>) -> Rule? {
        let name = bytes.extracting(tag.name)
        switch name.count {
        case 2:
            if name.equalsIgnoringCase("td") || name.equalsIgnoringCase("th") {
                endCell()
                pending = nil
                guard hiddenTables == 0 else { return nil }
                // Rows without a table: a part of a page that a script inserts into one.
                if tables.isEmpty { beginTable() }
                let isHeading = name[1] | 0x20 == .ascii("h")
                tables[tables.count - 1].beganCell(isHeading: isHeading, tag)
                cell = Capture()
            } else if name.equalsIgnoringCase("tr") {
                endRow()
            } else if name.equalsIgnoringCase("dt") {
                isDescription = false
                termRule = nil
                term = Capture()
            } else if name.equalsIgnoringCase("dd") {
                endTerm()
                isDescription = true
            }
        case 5:
            if name.equalsIgnoringCase("table") {
                beginTable()
            } else if name.equalsIgnoringCase("thead") {
                setHead(true)
            } else if name.equalsIgnoringCase("tbody") || name.equalsIgnoringCase("tfoot") {
                endRow()
                setHead(false)
            } else if name.equalsIgnoringCase("label") {
                pending = nil
                let target = Array(copying: bytes.extracting(tag.target ?? 0..<0))
                label = (Capture(), target, false)
            } else if name.equalsIgnoringCase("input") {
                return fieldRule(tag, bytes)
            }
        case 6:
            if name.equalsIgnoringCase("option") { return choice }
            if name.equalsIgnoringCase("select") || name.equalsIgnoringCase("button") {
                pending = nil
                choice = name[0] | 0x20 == .ascii("s") ? tag.label?.rule : nil
            }
        case 8:
            if name.equalsIgnoringCase("textarea") { return fieldRule(tag, bytes) }
        default: break
        }
        return nil
    }

    /// Ends an element.
    mutating func ended(_ tagName: Span<UInt8>) {
        switch tagName.count {
        case 2:
            if tagName.equalsIgnoringCase("td") || tagName.equalsIgnoringCase("th") {
                endCell()
            } else if tagName.equalsIgnoringCase("tr") {
                endRow()
            } else if tagName.equalsIgnoringCase("dt") {
                endTerm()
            } else if tagName.equalsIgnoringCase("dd") {
                isDescription = false
            } else if tagName.equalsIgnoringCase("dl") {
                endTerm()
                isDescription = false
                termRule = nil
            }
        case 4 where tagName.equalsIgnoringCase("form"): pending = nil
        case 6 where tagName.equalsIgnoringCase("select"): choice = nil
        case 5:
            if tagName.equalsIgnoringCase("table") {
                endTable()
            } else if tagName.equalsIgnoringCase("thead") {
                endRow()
                setHead(false)
            } else if tagName.equalsIgnoringCase("label") {
                endLabel()
            }
        default: break
        }
    }

    private mutating func endLabel() {
        guard let ended = label else { return }
        label = nil
        guard !ended.isForBox, let rule = rule(ended.capture) else { return }
        guard !ended.target.isEmpty else {
            pending = (rule, .label)
            return
        }
        if targets.count < MarkupLabels.maxTargets { targets[ended.target] = rule }
        for field in fields where field.id == ended.target { late.append((field.value, rule)) }
        fields.removeAll { $0.id == ended.target }
    }

    /// Returns the rule for a field, by its label.
    private mutating func fieldRule(_ tag: MarkupTag, _ bytes: Span<UInt8>) -> Rule? {
        defer { pending = nil }
        guard tag.type != .box else {
            label?.isForBox = true
            return nil
        }
        if let label, let rule = rule(label.capture) { return rule }
        if let rule = textRule { return rule }
        if let pending, pending.origin == .label { return pending.rule }
        guard let id = tag.id else { return nil }
        let key = Array(copying: bytes.extracting(id))
        if let rule = targets[key] { return rule }
        if let value = tag.value, !value.isEmpty, fields.count < MarkupLabels.maxTargets {
            fields.append((key, value))
        }
        return nil
    }

    private mutating func endTerm() {
        guard let ended = term else { return }
        term = nil
        termRule = rule(ended)
    }

    private mutating func beginTable() {
        guard tables.count < MarkupLabels.maxTables else {
            hiddenTables += 1
            return
        }
        tables.append(MarkupTable())
    }

    private mutating func endTable() {
        guard hiddenTables == 0 else {
            hiddenTables -= 1
            return
        }
        endRow()
        _ = tables.popLast()
    }

    private mutating func setHead(_ isHead: Bool) {
        guard hiddenTables == 0, !tables.isEmpty else { return }
        tables[tables.count - 1].isHead = isHead
    }

    private mutating func endRow() {
        endCell()
        guard hiddenTables == 0, !tables.isEmpty else { return }
        tables[tables.count - 1].endedRow()
    }

    private mutating func endCell() {
        guard hiddenTables == 0, !tables.isEmpty, tables[tables.count - 1].isInCell else { return }
        let ended = cell
        cell = Capture()
        tables[tables.count - 1].endedCell(
            ended.text.span,
            isLong: ended.isTooLong,
            named: rule(ended)
        )
    }
}

// MARK: - Texts

extension MarkupLabels {
    /// The rule for texts at the current position.
    private var textRule: Rule? {
        for table in tables { if let rule = table.rule { return rule } }
        return isDescription ? termRule : nil
    }

    /// Reads a text between tags; returns the part to redact, and its rule.
    mutating func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (Range<Int>, Rule)? {
        var text = range
        while !text.isEmpty, bytes[text.lowerBound] <= 0x20 {
            text = text.lowerBound + 1..<text.upperBound
        }
        while !text.isEmpty, bytes[text.upperBound - 1] <= 0x20 {
            text = text.lowerBound..<text.upperBound - 1
        }
        guard !text.isEmpty else { return nil }
        let found = value(bytes, text)
        previous = text.count <= MarkupLabels.longest ? text : nil
        if isCapturing { capture(bytes, range) }
        return found
    }

    private mutating func capture(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let written = bytes.extracting(range)
        guard range.count <= 512, written.firstIndex(of: .ascii("&")) != nil else {
            append(written)
            return
        }
        append(MarkupTag.decoded(written).span)
    }

    private mutating func append(_ text: Span<UInt8>) {
        label?.capture.append(text)
        term?.append(text)
        if tables.last?.isInCell ?? false { cell.append(text) }
    }

    /// Returns the value that a text is, or contains after a colon.
    private mutating func value(_ bytes: Span<UInt8>, _ text: Range<Int>) -> (Range<Int>, Rule)? {
        let written = bytes.extracting(text)
        if let rule = textRule {
            pending = nil
            return isValue(written) && !isName(written) ? (text, rule) : nil
        }
        if let before = pending {
            // `<b>Password</b>: …`
            var start = text.lowerBound
            if bytes[start] == .ascii(":") || bytes[start] == .ascii("=") {
                start += 1
                while start < text.upperBound, bytes[start] <= 0x20 { start += 1 }
                guard start < text.upperBound else { return nil }
            }
            pending = nil
            let value = start..<text.upperBound
            if before.origin == .sign || before.origin == .quote {
                return signedValue(bytes, value, before.origin).map { ($0, before.rule) }
            }
            if isShort(bytes.extracting(value)) { return (value, before.rule) }
        }
        if label == nil, let sign = MarkupLabels.sign(bytes, text), let previous,
            let rule = rule(written: bytes.extracting(MarkupLabels.unquoted(bytes, previous)))
        {
            return joinedValue(bytes, sign..<text.upperBound, rule)
        }
        guard text.count <= 2 * MarkupLabels.longest, label == nil,
            let colon = written.firstIndex(of: .ascii(":")),
            let rule = rule(written: written.extracting(0..<colon))
        else { return nil }
        var start = text.lowerBound + colon + 1
        while start < text.upperBound, bytes[start] <= 0x20 { start += 1 }
        guard start < text.upperBound else {
            pending = (rule, .colon)
            return nil
        }
        let value = start..<text.upperBound
        // More than one word is prose.
        for index in value where bytes[index] <= 0x20 { return nil }
        return isShort(bytes.extracting(value)) ? (value, rule) : nil
    }

    /// Returns the value in a text after its leading sign; if there is none, the next text is the
    /// value.
    private mutating func joinedValue(
        _ bytes: Span<UInt8>,
        _ value: Range<Int>,
        _ rule: Rule
    ) -> (Range<Int>, Rule)? {
        if value.isEmpty || value.count == 1 && MarkupLabels.isQuote(bytes[value.lowerBound]) {
            pending = (rule, value.isEmpty ? .sign : .quote)
            return nil
        }
        let inner = MarkupLabels.unquoted(bytes, value)
        for index in inner where bytes[index] <= 0x20 { return nil }
        if inner.count == value.count {
            switch bytes[value.upperBound - 1] {
            case .ascii(","), .ascii(";"), .ascii("("), .ascii("{"), .ascii("["), .ascii(")"):
                return nil
            default: break
            }
        }
        return isValue(bytes.extracting(inner)) ? (inner, rule) : nil
    }

    /// Returns the part of a text that is a value, after a sign in an element of its own.
    private func signedValue(
        _ bytes: Span<UInt8>,
        _ text: Range<Int>,
        _ origin: Origin
    ) -> Range<Int>? {
        let inner = MarkupLabels.unquoted(bytes, text)
        let value = bytes.extracting(inner)
        guard isValue(value) else { return nil }
        if origin == .quote || inner.count < text.count { return inner }
        guard value.firstIndex(of: 0x20) == nil, value.firstIndex(of: .ascii("(")) == nil else {
            return nil
        }
        return CodeNames.isUnlikeWord(value) ? inner : nil
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == .ascii("\"") || byte == .ascii("'")
    }

    /// Returns the content between the quotes of a text, or the whole text if it has none.
    private static func unquoted(_ bytes: Span<UInt8>, _ text: Range<Int>) -> Range<Int> {
        guard text.count > 2, isQuote(bytes[text.lowerBound]),
            bytes[text.upperBound - 1] == bytes[text.lowerBound]
        else { return text }
        return text.lowerBound + 1..<text.upperBound - 1
    }

    /// Returns the end of the sign that begins a text and joins a name and its value: `:`, `=>`, or
    /// one of these after the closing quote of the name.
    private static func sign(_ bytes: Span<UInt8>, _ text: Range<Int>) -> Int? {
        var start = text.lowerBound
        func skipBlanks() {
            while start < text.upperBound, bytes[start] <= 0x20 { start += 1 }
        }
        if isQuote(bytes[start]) {
            start += 1
            skipBlanks()
        }
        let rest = bytes.extracting(start..<text.upperBound)
        if rest.starts(with: "=>") {
            start += 2
        } else if rest.starts(with: "=&gt;") {
            start += 5
        } else if rest.starts(with: ":"), !rest.starts(with: "::") {
            start += 1
        } else {
            return nil
        }
        skipBlanks()
        return start
    }

    private func rule(written text: Span<UInt8>) -> Rule? {
        guard !text.isEmpty else { return nil }
        guard text.firstIndex(of: .ascii("&")) != nil else { return rule(labelled: text) }
        var capture = Capture()
        capture.append(MarkupTag.decoded(text).span)
        return rule(capture)
    }

    private func isValue(_ text: Span<UInt8>) -> Bool {
        // The name of another secret is not a value: `<td>Password</td><td>Token</td>`.
        !PlainWords.isNoSecret(text) && rules.text.exactRule(for: text) == nil
    }

    /// Whether a text in a column of secrets names the content of the next cell.
    private func isName(_ text: Span<UInt8>) -> Bool {
        guard let table = tables.last, table.mayBeName else { return false }
        if MarkupTable.isConstant(text) { return true }
        return MarkupTable.isName(text) && rule(written: text) != nil
    }

    /// Whether a text after a label is a value and not prose.
    private func isShort(_ text: Span<UInt8>) -> Bool {
        var blanks = 0
        for index in text.indices where text[index] <= 0x20 { blanks += 1 }
        return blanks <= 1 && isValue(text)
    }
}
