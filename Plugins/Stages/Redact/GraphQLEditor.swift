// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Finds secrets in GraphQL requests: in the document, and in the variables that it binds to
/// arguments that a rule names.
///
/// In `mutation ($p: String!) { login(password: $p) { id } }` with `{"p": "…"}`, no rule matches
/// the name of the value; the document determines its meaning.
///
/// **Limits**: time is linear; objects nested deeper than 64 are skipped.
struct GraphQLEditor {
    private let rules: RuleSet

    init(_ rules: RuleSet) { self.rules = rules }

    /// Returns the edits of a document of its own (`application/graphql`); `nil` if it is not
    /// understood.
    func documentEdits(_ bytes: Span<UInt8>, _ range: Range<Int>) -> EditList? {
        let text = bytes.extracting(range)
        guard GraphQLDocument.isLikely(text) else { return nil }
        let document = GraphQLDocument(text, rules)
        guard document.isUnderstood else { return nil }
        var found = EditList()
        found.merge(edits(of: document, text), offset: range.lowerBound)
        return found
    }

    /// Returns the edits of a document, at positions within it.
    private func edits(of document: GraphQLDocument, _ text: Span<UInt8>) -> EditList {
        var found = EditList()
        for value in document.values {
            let written = text.extracting(value.range)
            guard !value.rule.harmless.contains(written) else { continue }
            var secret: [UInt8] = []
            JSONText.decode(written, to: &secret)
            rules.report(secret.span, value.rule)
            found.add(value.range, value.rule) { output in
                guard value.isText else {
                    appendScalar(written, value.rule, to: &output)
                    return
                }
                var replacement: [UInt8] = []
                rules.replacement
                    .append(value.rule.action, of: secret.span, as: .plain, to: &replacement)
                JSONText.encode(replacement.span, to: &output)
            }
        }
        for range in document.texts where range.count > 4 {
            var others = EditList()
            rules.editShortText(text, range, .plain, &others)
            found.merge(others)
        }
        return found
    }

    private func appendScalar(_ scalar: Span<UInt8>, _ rule: Rule, to output: inout [UInt8]) {
        switch rule.action {
        case .pseudonym: rules.replacement.appendStandIn(ofScalar: scalar, to: &output)
        case .remove: output.append(contentsOf: "null".utf8)
        case .mask, .hash: rules.replacement.append(rule.action, of: scalar, as: .json, to: &output)
        }
    }
}

// MARK: - JSON

extension GraphQLEditor {
    /// Whether JSON may contain a document with arguments.
    ///
    /// Most JSON does not, and this check is cheap.
    private static func mayHold(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(0..<range.upperBound)
        guard text.nextParenthesis(from: range.lowerBound) < text.count else { return false }
        // This letter is rarer than a quote.
        var position = range.lowerBound
        while let letter = text.firstIndex(of: .ascii("q"), from: position) {
            position = letter + 1
            if letter > range.lowerBound, bytes[letter - 1] == .ascii("\""),
                text.extracting(letter..<text.count).starts(with: "query\"")
            {
                return true
            }
        }
        return false
    }

    /// The findings in a JSON text.
    private struct Findings {
        var edits = EditList()
        /// The documents that were understood: nothing else in them is a secret.
        var documents: [Range<Int>] = []

        /// Merges the findings into the edits that were found without regard to the grammar.
        func add(to edits: inout EditList) {
            for document in documents { edits.removeAll(within: document) }
            edits.merge(self.edits)
        }
    }

    /// An object while it is read.
    private struct Frame {
        let isObject: Bool
        var key = 0..<0
        var isKey: Bool
        /// The text of the document, between its quotes.
        var query: Range<Int>?
        /// The object with the variables, or the text that contains it.
        var variables: Range<Int>?
        var valueStart = 0

        init(isObject: Bool) {
            self.isObject = isObject
            isKey = isObject
        }
    }

    private static let maxDepth = 64

    /// Edits all requests in a JSON text: one, a list of them, or one within a message.
    func edit(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        guard GraphQLEditor.mayHold(bytes, range) else { return }
        var found = Findings()
        defer { found.add(to: &edits) }
        var frames: [Frame] = []
        var position = JSONText.start(bytes, range)
        while position < range.upperBound {
            switch bytes[position] {
            case .ascii("{"), .ascii("["):
                guard frames.count < GraphQLEditor.maxDepth else { return }
                if !frames.isEmpty { frames[frames.count - 1].valueStart = position }
                frames.append(Frame(isObject: bytes[position] == .ascii("{")))
                position += 1
            case .ascii("}"), .ascii("]"):
                position += 1
                guard let frame = frames.popLast() else { break }
                if let query = frame.query { edit(query, frame.variables, bytes, &found) }
                guard !frames.isEmpty else { break }
                let parent = frames.count - 1
                if bytes.extracting(frames[parent].key).equals("variables") {
                    frames[parent].variables = frames[parent].valueStart..<position
                }
            case .ascii("\""):
                guard let (end, _) = JSONText.endOfString(bytes, position, range.upperBound) else {
                    return
                }
                note(position + 1..<end - 1, bytes, &frames)
                position = end
            case .ascii(","):
                if let last = frames.last, last.isObject { frames[frames.count - 1].isKey = true }
                position += 1
            default: position += 1
            }
        }
    }

    /// Records a string: a key, a document, or variables as text.
    private func note(_ content: Range<Int>, _ bytes: Span<UInt8>, _ frames: inout [Frame]) {
        guard let last = frames.last, last.isObject else { return }
        if last.isKey {
            frames[frames.count - 1].key = content
            frames[frames.count - 1].isKey = false
            return
        }
        let key = bytes.extracting(last.key)
        if key.equals("query") {
            frames[frames.count - 1].query = content
        } else if key.equals("variables") {
            frames[frames.count - 1].variables = content
        }
    }

    /// Edits one request: its document and its variables.
    private func edit(
        _ query: Range<Int>,
        _ variables: Range<Int>?,
        _ bytes: Span<UInt8>,
        _ found: inout Findings
    ) {
        let source = bytes.extracting(query)
        var text: [UInt8] = []
        JSONText.decode(source, to: &text)
        guard GraphQLDocument.isLikely(text.span) else { return }
        let document = GraphQLDocument(text.span, rules)
        if document.isUnderstood { found.documents.append(query) }
        found.edits.merge(
            edits(of: document, text.span)
                .lifted(to: source, .backslashed, offset: query.lowerBound)
        )
        guard let variables, !document.variables.isEmpty else { return }
        if bytes[variables.lowerBound] == .ascii("{"),
            bytes[variables.lowerBound - 1] != .ascii("\"")
        {
            var inner = EditList()
            editMembers(bytes, variables, document.variables, &inner)
            found.edits.merge(inner)
        } else {
            let written = bytes.extracting(variables)
            var inner = EditList()
            var object: [UInt8] = []
            JSONText.decode(written, to: &object)
            editMembers(object.span, 0..<object.count, document.variables, &inner)
            found.edits.merge(
                inner.lifted(to: written, .backslashed, offset: variables.lowerBound)
            )
        }
    }
}

// MARK: - Variables

extension GraphQLEditor {
    /// Edits the members of an object that have rules.
    private func editMembers(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ names: [[UInt8]: Rule],
        _ edits: inout EditList
    ) {
        var remover = ListItemRemover()
        var position = range.lowerBound
        while position < range.upperBound, bytes[position] != .ascii("{") { position += 1 }
        position += 1
        while position < range.upperBound {
            guard let member = Member(bytes, position, range.upperBound) else { return }
            var name: [UInt8] = []
            JSONText.decode(bytes.extracting(member.name), to: &name)
            let item = member.name.lowerBound - 1..<member.value.upperBound
            let isLast = member.next == nil
            if let rule = names[name], !Member.isWord(bytes[member.value.lowerBound]) {
                if rule.action == .remove {
                    remover.remove(item, next: member.next, rule, &edits)
                } else {
                    replace(member.value, rule, bytes, &edits)
                    remover.keep(until: item.upperBound)
                }
            } else {
                remover.keep(until: item.upperBound)
            }
            guard !isLast, let next = member.next else { return }
            position = next
        }
    }

    private func replace(
        _ range: Range<Int>,
        _ rule: Rule,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        let isString = bytes[range.lowerBound] == .ascii("\"") && range.count > 1
        var secret: [UInt8] = []
        if isString {
            let content = range.lowerBound + 1..<range.upperBound - 1
            JSONText.decode(bytes.extracting(content), to: &secret)
        } else {
            secret.append(copying: bytes.extracting(range))
        }
        rules.report(secret.span, rule)
        edits.add(range, rule) { output in
            if isString {
                rules.replacement.append(rule.action, of: secret.span, as: .json, to: &output)
            } else {
                appendScalar(secret.span, rule, to: &output)
            }
        }
    }
}

/// One member of a JSON object.
private struct Member {
    /// The content between the quotes of its name.
    let name: Range<Int>
    let value: Range<Int>
    /// Where the next member may begin, after the comma; `nil` if there is none.
    let next: Int?

    init?(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        let text = bytes.extracting(0..<end)
        let quote = text.nextNoBlank(from: start)
        guard quote < end, text[quote] == .ascii("\""),
            let (nameEnd, _) = JSONText.endOfString(bytes, quote, end)
        else { return nil }
        name = quote + 1..<nameEnd - 1
        let colon = text.nextNoBlank(from: nameEnd)
        guard colon < end, text[colon] == .ascii(":") else { return nil }
        let first = text.nextNoBlank(from: colon + 1)
        guard first < end, let last = Member.endOfValue(bytes, first, end) else { return nil }
        value = first..<last
        let comma = text.nextNoBlank(from: last)
        next = comma < end && text[comma] == .ascii(",") ? comma + 1 : nil
    }

    /// Whether `true`, `false` or `null` begins with a byte.
    static func isWord(_ byte: UInt8) -> Bool {
        byte == .ascii("t") || byte == .ascii("f") || byte == .ascii("n")
    }

    private static func endOfValue(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        switch bytes[start] {
        case .ascii("\""): return JSONText.endOfString(bytes, start, end)?.end
        case .ascii("{"), .ascii("["):
            var depth = 0
            var position = start
            while position < end {
                switch bytes[position] {
                case .ascii("{"), .ascii("["): depth += 1
                case .ascii("}"), .ascii("]"):
                    depth -= 1
                    if depth == 0 { return position + 1 }
                case .ascii("\""):
                    guard let (last, _) = JSONText.endOfString(bytes, position, end) else {
                        return nil
                    }
                    position = last
                    continue
                default: break
                }
                position += 1
            }
            return nil
        default: return JSONText.endOfScalar(bytes, start, end)
        }
    }
}

// MARK: - Queries

extension GraphQLEditor {
    /// Edits a request in the parameters of a URL or a form: `query=…&variables=…`.
    func edit(
        query: Range<Int>,
        variables: Range<Int>?,
        _ bytes: Span<UInt8>,
        _ edits: inout EditList
    ) {
        let source = bytes.extracting(query)
        guard source.firstIndex(ofEither: .ascii("("), .ascii("%"), from: 0) < source.count else {
            return
        }
        let text = PercentEncoding.decode(source, plusIsSpace: true)
        guard GraphQLDocument.isLikely(text.span) else { return }
        let document = GraphQLDocument(text.span, rules)
        if document.isUnderstood { edits.removeAll(within: query) }
        var found = EditList()
        found.merge(
            self.edits(of: document, text.span)
                .lifted(to: source, .formEncoded, offset: query.lowerBound)
        )
        if let variables, !document.variables.isEmpty {
            let written = bytes.extracting(variables)
            let object = PercentEncoding.decode(written, plusIsSpace: true)
            var inner = EditList()
            editMembers(object.span, 0..<object.count, document.variables, &inner)
            found.merge(inner.lifted(to: written, .formEncoded, offset: variables.lowerBound))
        }
        edits.merge(found)
    }
}
