// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Finds secrets in URLs, queries, forms and cookies.
extension RuleSet {
    /// Edits a URL or a URL reference that fills a range: user-info, query and fragment.
    func editURL(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        let url = bytes.extracting(range)
        let text = bytes.extracting(0..<range.upperBound)
        let question =
            text.firstIndex(ofEither: .ascii("?"), .ascii("#"), from: range.lowerBound)
        let hash = text.firstIndex(ofEither: .ascii("#"), .ascii("#"), from: question)
        var path = range.lowerBound
        if let authority = RuleSet.authority(of: url) {
            let start = range.lowerBound + authority.lowerBound
            path = range.lowerBound + authority.upperBound
            editUserInfo(bytes, start..<path, &edits)
        }
        editPath(bytes, path..<max(path, question), &edits)
        if question < hash { editItems(bytes, question + 1..<hash, query, &edits) }
        if hash < range.upperBound { editFragment(bytes, hash + 1..<range.upperBound, &edits) }
    }

    /// Returns the authority of a URL or of a reference that begins with `//`.
    private static func authority(of url: Span<UInt8>) -> Range<Int>? {
        // The path of a request, the most common case.
        if url.count > 1, url[0] == .ascii("/"), url[1] != .ascii("/") { return nil }
        if let parts = URLParts(url) {
            return parts.userInfo.lowerBound..<parts.hostPort.upperBound
        }
        guard url.count > 2, url[0] == .ascii("/"), url[1] == .ascii("/") else { return nil }
        var end = 2
        while end < url.count, url[end] != .ascii("/"), url[end] != .ascii("?"),
            url[end] != .ascii("#")
        {
            end += 1
        }
        return 2..<end
    }

    /// Edits the text before the last `@` of an authority, which is a secret whatever the rules.
    func editUserInfo(
        _ bytes: Span<UInt8>,
        _ authority: Range<Int>,
        _ edits: inout EditList
    ) {
        guard let at = bytes.extracting(authority).lastIndex(of: .ascii("@")), at > 0 else {
            return
        }
        let range = authority.lowerBound..<authority.lowerBound + at
        if userInfo.action == .remove {
            edits.remove(range.lowerBound..<range.upperBound + 1, userInfo)
        } else {
            // Independent of the context: brackets in an authority are only for addresses.
            replace(bytes, range, userInfo, .url, &edits)
        }
    }

    /// Edits the segments of a path, and their parameters after semicolons.
    private func editPath(_ bytes: Span<UInt8>, _ path: Range<Int>, _ edits: inout EditList) {
        let text = bytes.extracting(0..<path.upperBound)
        let mark = text.firstIndex(ofEither: .ascii(";"), .ascii("="), from: path.lowerBound)
        if mark < path.upperBound { editPathParameters(bytes, path, &edits) }
        editSegments(bytes, path, &edits)
    }

    /// Edits the path segments that follow a name: `/reset-password/8f3a…`.
    func editSegments(_ bytes: Span<UInt8>, _ path: Range<Int>, _ edits: inout EditList) {
        let text = bytes.extracting(0..<path.upperBound)
        // Two slashes and a short name precede it.
        guard path.count > RuleSet.shortestSegment + 4 else { return }
        var segments = EditList()
        var name = path.lowerBound..<path.lowerBound
        var start = path.lowerBound
        while start < path.upperBound {
            let end = text.firstIndex(ofEither: .ascii("/"), .ascii(";"), from: start)
            if end - start >= RuleSet.shortestSegment {
                editSegment(bytes, start..<end, name, &segments)
            }
            name = start..<end
            start = end + 1
        }
        if !segments.isEmpty { edits.merge(segments) }
    }

    /// Returns the path of a URL within a text: up to a query, a blank or a quote.
    static func path(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        let text = bytes.extracting(0..<range.upperBound)
        return range.lowerBound..<text.nextPathEnd(from: range.lowerBound)
    }

    /// The minimum length of a path segment that may be a secret.
    private static let shortestSegment = 16

    /// Edits a segment with digits that follows one that a rule for text names.
    private func editSegment(
        _ bytes: Span<UInt8>,
        _ segment: Range<Int>,
        _ name: Range<Int>,
        _ edits: inout EditList
    ) {
        var position = segment.lowerBound
        while position < segment.upperBound, !(0x30...0x39 ~= bytes[position]) { position += 1 }
        guard position < segment.upperBound, !name.isEmpty,
            let rule = rule(bytes, name, text)
        else { return }
        if rule.action == .remove {
            edits.remove(segment, rule)
        } else {
            replace(bytes, segment, rule, .url, &edits)
        }
    }

    /// Edits path segments of the form `name=value`, and their parameters after semicolons
    /// (RFC 3986 §3.3): `;jsessionid=…`.
    private func editPathParameters(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ edits: inout EditList
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            var equals: Int?
            while end < range.upperBound, !RuleSet.endsParameter(bytes[end]) {
                if equals == nil, bytes[end] == .ascii("=") { equals = end }
                end += 1
            }
            if let equals, start >= edits.end, let rule = rule(bytes, start..<equals, query) {
                if rule.action == .remove {
                    let isParameter = start > range.lowerBound && bytes[start - 1] == .ascii(";")
                    edits.remove((isParameter ? start - 1 : start)..<end, rule)
                } else {
                    replace(bytes, equals + 1..<end, rule, .url, &edits)
                }
            }
            start = end + 1
        }
    }

    private static func endsParameter(_ byte: UInt8) -> Bool {
        byte == .ascii("/") || byte == .ascii(";") || byte == .ascii(",") || byte == .ascii("&")
    }

    /// Edits a fragment: logins return tokens as `#access_token=…`, and client-side routes have
    /// their own queries, `#/route?token=…`.
    private func editFragment(_ bytes: Span<UInt8>, _ range: Range<Int>, _ edits: inout EditList) {
        var start = range.lowerBound
        for index in range where bytes[index] == .ascii("?") { start = index + 1 }
        if start > range.lowerBound {
            editItems(bytes, range.lowerBound..<start - 1, query, &edits)
        }
        editItems(bytes, start..<range.upperBound, query, &edits)
    }

    /// Edits the items of a query or a form.
    func editItems(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ rules: borrowing NameRules,
        _ edits: inout EditList
    ) {
        var items = QueryItems(range)
        var remover = ListItemRemover()
        var json: JSONEditor?
        var document: Range<Int>?
        var variables: Range<Int>?
        var pairs = FormPairs()
        while let item = items.next(in: bytes) {
            if item.name.count == 5, bytes.extracting(item.name).equals("query") {
                document = item.value
            } else if item.name.count == 9, bytes.extracting(item.name).equals("variables") {
                variables = item.value
            }
            let whole = item.name.lowerBound..<item.value.upperBound
            let pair = pairs.read(item, bytes, self)
            guard !pair.isName, let rule = pair.rule ?? rule(bytes, item.name, rules) else {
                editInnerItems(bytes, item.value, &json, &edits)
                remover.keep(until: whole.upperBound)
                continue
            }
            if rule.action == .remove {
                let next = whole.upperBound < range.upperBound ? whole.upperBound + 1 : nil
                remover.remove(whole, next: next, rule, &edits)
            } else {
                replace(bytes, item.value, rule, .url, &edits)
                remover.keep(until: whole.upperBound)
            }
        }
        if let document {
            GraphQLEditor(self).edit(query: document, variables: variables, bytes, &edits)
        }
    }

    /// Edits the decoded content of a value: JSON, another URL, or other text.
    private func editInnerItems(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ json: inout JSONEditor?,
        _ edits: inout EditList
    ) {
        guard range.count > 5, RuleSet.mayHoldText(bytes, range) else { return }
        let source = bytes.extracting(range)
        let isWritten =
            source.firstIndex(of: .ascii("%")) == nil && source.firstIndex(of: .ascii("+")) == nil
        if isWritten, !JSONText.isLikely(bytes, range) {
            editShortText(bytes, range, .url, &edits)
            return
        }
        var meaning: [UInt8] = []
        EmbeddedForm.formEncoded.unescape(source, appendingTo: &meaning)
        let whole = 0..<meaning.count
        var found = EditList()
        if JSONText.isLikely(meaning.span, whole) {
            var editor = json.take() ?? JSONEditor()
            editor.edit(meaning.span, whole, self, &found)
            json = editor
            GraphQLEditor(self).edit(meaning.span, whole, &found)
        } else {
            editShortText(meaning.span, whole, .plain, &found)
        }
        guard !found.isEmpty else { return }
        edits.merge(found.lifted(to: source, .formEncoded, offset: range.lowerBound))
    }

    /// Whether a value may contain names or credentials; most are words and numbers.
    private static func mayHoldText(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range {
            switch bytes[index] {
            case .ascii("="), .ascii(":"), .ascii("%"), .ascii("+"), .ascii("{"), .ascii("["),
                .ascii(" "), .ascii("/"):
                return true
            default: break
            }
        }
        return false
    }

    /// Returns the rule for the value of a name that may be percent-encoded.
    func rule(
        _ bytes: Span<UInt8>,
        _ name: Range<Int>,
        _ rules: borrowing NameRules
    ) -> Rule? {
        let written = bytes.extracting(name)
        for index in written.indices
        where written[index] == .ascii("%") || written[index] == .ascii("+") {
            let decoded = PercentEncoding.decode(written, plusIsSpace: true)
            return rules.rule(forNested: decoded.span)
        }
        return rules.rule(forNested: written)
    }
}
