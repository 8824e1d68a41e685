// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// A tag of HTML or XML: its name and the relevant attributes.
struct MarkupTag {
    /// `name="value"`, `name='value'`, `name=value` or `name` (HTML §13.1.2.3).
    struct Attribute {
        let name: Range<Int>
        var value: Range<Int>
        var end: Int
    }

    /// A rule that an attribute names.
    struct Label {
        let rule: Rule
        /// Whether it comes from an attribute such as `name`, not from an id or a hint.
        var isName = false
    }

    /// What the attribute `type` makes of a field.
    enum FieldType {
        case text
        case password
        /// A button, whose value is its label.
        case button
        /// A checkbox or a radio button.
        case box

        init(_ value: Span<UInt8>) {
            self = .text
            if value.equalsIgnoringCase("password") { self = .password }
            if value.equalsIgnoringCase("checkbox") || value.equalsIgnoringCase("radio") {
                self = .box
            }
            for type in ["submit", "button", "reset", "image"] where value.equalsIgnoringCase(type)
            {
                self = .button
            }
        }
    }

    /// The name, including its namespace prefix.
    let name: Range<Int>
    /// The end of the tag.
    var end: Int
    /// Whether it has no content: `<a/>`.
    var isEmpty = false
    /// The rule that `name`, `id` and similar attributes name.
    var label: Label?
    /// The value of `value` or `content`.
    var value: Range<Int>?
    /// The type of the field; `nil` if no attribute states it.
    var type: FieldType?
    /// Whether its namespace is one of SAML.
    var isSAML = false
    /// The values of `id` and `for`.
    var id: Range<Int>?
    var target: Range<Int>?
    var columns = 1
    var rows = 1

    init(name: Range<Int>, end: Int) {
        self.name = name
        self.end = end
    }

    /// Records what an attribute implies about the element.
    mutating func note(_ attribute: Attribute, _ bytes: Span<UInt8>, _ rules: RuleSet) {
        let name = bytes.extracting(MarkupTag.local(bytes, attribute.name))
        let value = bytes.extracting(attribute.value)
        switch name.count {
        case 2 where name.equalsIgnoringCase("id"): id = attribute.value
        case 3 where name.equalsIgnoringCase("for"): target = attribute.value
        case 4 where name.equalsIgnoringCase("type"):
            // Of repeated attributes, the first one counts (HTML §13.2.5.33); what may be a
            // password is one.
            let other = FieldType(value)
            if type == nil || other == .password { type = other }
        case 5 where name.equalsIgnoringCase("value"), 7 where name.equalsIgnoringCase("content"),
            3 where name.equalsIgnoringCase("val"):
            self.value = self.value ?? attribute.value
            return
        case 7 where name.equalsIgnoringCase("colspan"): columns = MarkupTag.span(value)
        case 7 where name.equalsIgnoringCase("rowspan"): rows = MarkupTag.span(value)
        case 12 where name.equalsIgnoringCase("autocomplete"):
            label = label ?? MarkupTag.autocompleteRule(value, rules).map { Label(rule: $0) }
        default: break
        }
        if bytes.extracting(attribute.name).starts(with: "xmlns") {
            isSAML = isSAML || value.starts(with: "urn:oasis:names:tc:SAML:")
        }
        if label == nil, MarkupTag.names(name) {
            let rule = MarkupTag.rule(value, rules.form) ?? MarkupTag.rule(value, rules.text)
            let isName = JSONPairs.Role(of: name) == .name
            label = rule.map { Label(rule: $0, isName: isName) }
        }
    }

    /// Whether an attribute is used only as a name.
    static func isName(_ attribute: Span<UInt8>) -> Bool {
        for known in ["name", "id", "key", "property"] where attribute.equalsIgnoringCase(known) {
            return true
        }
        return false
    }

    /// Whether an attribute names the value in the same tag.
    static func names(_ attribute: Span<UInt8>) -> Bool {
        if JSONPairs.Role(of: attribute) == .name { return true }
        for known in ["id", "itemprop", "placeholder", "aria-label", "formcontrolname", "ng-model"]
        where attribute.equalsIgnoringCase(known) {
            return true
        }
        return false
    }

    /// Returns the rule for the content that a browser fills into a field (HTML §4.10.18.7).
    private static func autocompleteRule(_ value: Span<UInt8>, _ rules: RuleSet) -> Rule? {
        if value.equalsIgnoringCase("one-time-code") {
            return rules.text.rule(forNested: "otp".utf8.span)
        }
        if value.equalsIgnoringCase("cc-csc") {
            return rules.text.rule(forNested: "cvc".utf8.span)
        }
        let isPassword =
            value.equalsIgnoringCase("current-password")
            || value.equalsIgnoringCase("new-password")
        return isPassword ? rules.text.rule(forNested: "password".utf8.span) : nil
    }

    /// Returns the number of rows or columns that a cell spans.
    private static func span(_ value: Span<UInt8>) -> Int {
        guard 1...3 ~= value.count else { return 1 }
        var number = 0
        for index in value.indices {
            guard 0x30...0x39 ~= value[index] else { return 1 }
            number = number * 10 + Int(value[index] - 0x30)
        }
        return max(1, number)
    }

    /// Returns the name of an element or an attribute without its namespace prefix.
    static func local(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Range<Int> {
        let colon = bytes.extracting(name).lastIndex(of: .ascii(":"))
        return name.lowerBound + (colon.map { $0 + 1 } ?? 0)..<name.upperBound
    }

    /// Returns the rule for a name that may contain character references.
    static func rule(_ name: Span<UInt8>, _ names: NameRules) -> Rule? {
        guard 1...longestName ~= name.count else { return nil }
        guard name.firstIndex(of: .ascii("&")) != nil else { return names.rule(forNested: name) }
        return names.rule(forNested: MarkupTag.decoded(name).span)
    }

    private static let longestName = 256

    /// Returns a text with its references decoded (HTML §13.5) and non-breaking spaces as spaces.
    static func decoded(_ text: Span<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        _ = EmbeddedFinder().decode(text, from: .references, appendingTo: &decoded)
        var output: [UInt8] = []
        var position = 0
        while position < decoded.count {
            let rest = decoded.span.extracting(position..<decoded.count)
            if rest[0] == .ascii("&"), rest.starts(with: "&nbsp;") {
                output.append(0x20)
                position += 6
            } else {
                output.append(rest[0])
                position += 1
            }
        }
        return output
    }
}

extension MarkupTag.Attribute {
    init(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) {
        var position = start
        while position < limit, MarkupEditor.isNameByte(bytes[position]) { position += 1 }
        name = start..<position
        end = position
        value = position..<position
        while position < limit, Self.isBlank(bytes[position]) { position += 1 }
        guard position < limit, bytes[position] == .ascii("=") else { return }
        position += 1
        while position < limit, Self.isBlank(bytes[position]) { position += 1 }
        guard position < limit else {
            end = limit
            return
        }
        let quote = bytes[position]
        let isQuoted = quote == .ascii("\"") || quote == .ascii("'")
        if isQuoted { position += 1 }
        let first = position
        while position < limit {
            let byte = bytes[position]
            if isQuoted ? byte == quote : Self.isBlank(byte) || byte == .ascii(">") {
                break
            }
            position += 1
        }
        value = first..<position
        end = min(isQuoted ? position + 1 : position, limit)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte.isBlank || byte == 0x0A || byte == 0x0D || byte == 0x0C
    }
}
