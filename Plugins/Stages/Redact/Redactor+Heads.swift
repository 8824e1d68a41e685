// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Redactor {
    /// Finds the edits of the head of a part: its fields, and their quoted parameters
    /// (`filename="token=x"`).
    mutating func edit(_ head: MIMEHead, _ bytes: Span<UInt8>) {
        for field in head.fields where !field.value.isEmpty { edit(field, bytes) }
    }

    private mutating func edit(_ field: MIMEHead.Field, _ bytes: Span<UInt8>) {
        let value = field.value
        switch rules.treatment(of: bytes.extracting(field.name)) {
        case .redact(let rule) where rule.action == .remove: edits.remove(field.lines, rule)
        case .redact(let rule): rules.replace(bytes, value, rule, .plain, &edits)
        case .cookies: rules.editCookies(bytes, value, &edits)
        case .setCookie: _ = rules.editSetCookie(bytes, value, &edits)
        case .url: rules.editURL(bytes, value, &edits)
        case .authority: rules.editUserInfo(bytes, value, &edits)
        case .protocols: rules.credentials.editProtocols(bytes, value, rules, &edits)
        case .encodedMessage, .binary: editFieldLine(bytes, field.name, value)
        case nil: editParameters(bytes, value)
        }
        search.edit(bytes, value, .plain, &edits)
    }

    /// Finds the edits of a value with parameters, each text on its own.
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

    /// Edits the value of a field that no rule names: JSON or text.
    mutating func editField(_ value: Span<UInt8>) {
        let whole = 0..<value.count
        let opens = !value.isEmpty && (value[0] == .ascii("{") || value[0] == .ascii("["))
        if opens, JSONText.isLikely(value, whole) {
            var found = EditList()
            if json.edit(value, whole, rules, &found) {
                edits.merge(found)
                GraphQLEditor(rules).edit(value, whole, &edits)
                return
            }
        }
        rules.editShortText(value, whole, .plain, &edits)
    }
}
