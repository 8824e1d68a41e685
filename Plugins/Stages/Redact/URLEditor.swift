// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Finds secrets in URLs, queries, forms and cookies.
extension RuleSet {
    /// Edits a URL, or a reference to one, that fills a range: user-info, query and fragment.
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

    /// Where the authority lies in a URL or in a reference that begins with `//`.
    private static func authority(of url: Span<UInt8>) -> Range<Int>? {
        // The path of a request, as most are.
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

    /// Edits what stands before the last `@` of an authority; it is a secret whatever the rules.
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
            // Whatever stands around: brackets in an authority are for addresses alone.
            replace(bytes, range, userInfo, .url, &edits)
        }
    }

    /// Edits the segments of a path, and what they hold behind semicolons.
    private func editPath(_ bytes: Span<UInt8>, _ path: Range<Int>, _ edits: inout EditList) {
        let text = bytes.extracting(0..<path.upperBound)
        let semicolon = text.firstIndex(
            ofEither: .ascii(";"),
            .ascii(";"),
            from: path.lowerBound
        )
        if semicolon < path.upperBound { editPathParameters(bytes, path, &edits) }
        // Two slashes and a short name before it.
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

    /// How long a segment of a path is at least that may be a secret.
    private static let shortestSegment = 16

    /// Edits a segment with digits behind one that a rule for text names: `/reset-password/8f3a…`.
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

    /// Edits what segments of a path hold behind semicolons (RFC 3986 §3.3): `;jsessionid=…`.
    private func editPathParameters(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ edits: inout EditList
    ) {
        var start = bytes.extracting(0..<range.upperBound)
            .firstIndex(of: .ascii(";"), from: range.lowerBound)
        while let semicolon = start {
            var end = semicolon + 1
            var equals: Int?
            while end < range.upperBound, bytes[end] != .ascii(";"), bytes[end] != .ascii("/") {
                if equals == nil, bytes[end] == .ascii("=") { equals = end }
                end += 1
            }
            if let equals, semicolon >= edits.end,
                let rule = rule(bytes, semicolon + 1..<equals, query)
            {
                if rule.action == .remove {
                    edits.remove(semicolon..<end, rule)
                } else {
                    replace(bytes, equals + 1..<end, rule, .url, &edits)
                }
            }
            start = bytes.extracting(0..<range.upperBound)
                .firstIndex(of: .ascii(";"), from: end)
        }
    }

    /// Edits a fragment: tokens come back from logins as `#access_token=…`, and routes of scripts
    /// have queries of their own, `#/route?token=…`.
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
        var cutter = ListCutter()
        var json: JSONEditor?
        while let item = items.next(in: bytes) {
            let whole = item.name.lowerBound..<item.value.upperBound
            guard let rule = rule(bytes, item.name, rules) else {
                editInnerItems(bytes, item.value, &json, &edits)
                cutter.keep(until: whole.upperBound)
                continue
            }
            if rule.action == .remove {
                let next = whole.upperBound < range.upperBound ? whole.upperBound + 1 : nil
                cutter.remove(whole, next: next, rule, &edits)
            } else {
                replace(bytes, item.value, rule, .url, &edits)
                cutter.keep(until: whole.upperBound)
            }
        }
    }

    /// Edits what a value holds: another URL, JSON, or items after a semicolon, each as it is or
    /// percent-encoded once more.
    private func editInnerItems(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ json: inout JSONEditor?,
        _ edits: inout EditList
    ) {
        let editor = TextEditor(rules: self, notation: .url, isQuery: true)
        if RuleSet.opensJSON(bytes.extracting(range)) {
            var found = jsonEdits(bytes, range, &json)
            var text = EditList()
            editor.edit(bytes, range, &text)
            found.merge(text)
            edits.merge(found)
            return
        }
        for index in range {
            switch bytes[index] {
            case .ascii("="), .ascii(":"), .ascii("%"):
                editor.edit(bytes, range, &edits)
                return
            default: break
            }
        }
    }

    /// Whether a value begins with a bracket, as it is or percent-encoded.
    private static func opensJSON(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty else { return false }
        switch value[0] {
        case .ascii("{"), .ascii("["): return true
        case .ascii("%"):
            return value.count > 2 && value[2] | 0x20 == .ascii("b")
                && (value[1] == .ascii("7") || value[1] == .ascii("5"))
        default: return false
        }
    }

    /// The edits of a value that is JSON; none where it is something else.
    private func jsonEdits(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ json: inout JSONEditor?
    ) -> EditList {
        let source = bytes.extracting(range)
        var edits = EditList()
        var meaning: [UInt8] = []
        _ = EmbeddedFinder().decode(source, from: .formEncoded, appendingTo: &meaning)
        guard JSONText.isLikely(meaning.span, 0..<meaning.count),
            var map = EscapeMap(.formEncoded)
        else { return edits }
        var found = EditList()
        var editor = json.take() ?? JSONEditor()
        editor.edit(meaning.span, 0..<meaning.count, self, &found)
        json = editor
        found.forEach { part, text, rule in
            let place = map.source(of: part, in: source)
            let start = range.lowerBound + place.lowerBound
            let written = PercentEncoding.encode(text)
            edits.add(start..<range.lowerBound + place.upperBound, written.span, rule)
        }
        edits.addOthers(of: found)
        return edits
    }

    /// The rule for the value of a name that may be percent-encoded.
    private func rule(
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
