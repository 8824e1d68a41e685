// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// Finds the edits of the head of a part: its fields, and their parameters within quotes
    /// (`filename="token=x"`).
    mutating func editHead(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let head = bytes.extracting(0..<range.upperBound)
        var start = range.lowerBound
        while start < range.upperBound {
            let end = head.firstIndex(of: 0x0A, from: start) ?? range.upperBound
            let isReturn = end > start && bytes[end - 1] == 0x0D
            let line = bytes.trimmed(start..<(isReturn ? end - 1 : end))
            if !line.isEmpty { editHeadLine(bytes, line) }
            start = end + 1
        }
    }

    private mutating func editHeadLine(_ bytes: Span<UInt8>, _ line: Range<Int>) {
        let text = bytes.extracting(line)
        let colon = text.firstIndex(of: .ascii(":"))
        let start = colon.map { line.lowerBound + $0 + 1 } ?? line.lowerBound
        let value = bytes.trimmed(start..<line.upperBound)
        guard !value.isEmpty else { return }
        switch colon.flatMap({ rules.treatment(of: text.extracting(0..<$0)) }) {
        case .redact(let rule) where rule.action == .remove: edits.remove(line, rule)
        case .redact(let rule): rules.replace(bytes, value, rule, .plain, &edits)
        case .cookies: rules.editCookies(bytes, value, &edits)
        case .setCookie: _ = rules.editSetCookie(bytes, value, &edits)
        case .url: rules.editURL(bytes, value, &edits)
        case .authority: rules.editUserInfo(bytes, value, &edits)
        case .protocols: rules.credentials.editProtocols(bytes, value, rules, &edits)
        case nil: editParameters(bytes, value)
        }
        search.edit(bytes, value, .plain, &edits)
    }

    /// Finds the edits of a value with parameters: each of their texts alone.
    private mutating func editParameters(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var found = EditList()
        rules.credentials.edit(bytes, value, .plain, rules, &found)
        defer { edits.merge(found) }
        let editor = TextEditor(rules: rules, isQuery: true)
        var start = value.lowerBound
        while start < value.upperBound {
            let end =
                bytes.extracting(0..<value.upperBound).firstIndex(of: .ascii("\""), from: start)
                ?? value.upperBound
            editor.edit(bytes, start..<end, &edits)
            start = end + 1
        }
    }
}
