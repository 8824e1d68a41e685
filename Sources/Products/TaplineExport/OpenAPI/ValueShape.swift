// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// What all observed values at one place have in common: the material of a JSON Schema.
struct ValueShape {
    /// The kinds of JSON values, with integers apart.
    enum Kind: Int, CaseIterable {
        case null, boolean, integer, number, string, array, object

        /// The name in JSON Schema.
        var name: String { String(describing: self) }
    }

    /// The number of properties above which an object is read as a map with any keys.
    private static let maxProperties = 100

    /// How many values were observed.
    private(set) var count = 0
    private(set) var counts = Array(repeating: 0, count: Kind.allCases.count)
    private(set) var strings = StringShape()
    /// The shape of the elements of arrays: empty or one.
    private(set) var elements: [ValueShape] = []
    private(set) var properties: [String: ValueShape] = [:]
    /// The names of the properties, in the order in which they were first seen.
    private(set) var names: [String] = []
    /// The shape of all properties, if there are too many names: empty or one.
    private(set) var others: [ValueShape] = []

    /// How many values of a kind were observed.
    func count(of kind: Kind) -> Int { counts[kind.rawValue] }

    /// Adds a JSON value.
    ///
    /// The parser's limit on nesting bounds the recursion.
    mutating func observe(_ value: JSONValue) {
        count += 1
        switch value.kind {
        case .null: note(.null)
        case .true, .false: note(.boolean)
        case .number: note(Self.isInteger(value.bytes) ? .integer : .number)
        case .string:
            note(.string)
            strings.observe(value.bytes)
        case .array:
            note(.array)
            var elements = value.elements
            while let element = elements.next() { observe(element: element) }
        case .object:
            note(.object)
            var seen: Set<String> = []
            var members = value.members
            while let member = members.next() {
                let name = member.key.asString ?? ""
                // A repeated name counts once.
                if seen.insert(name).inserted { observe(name, member.value) }
            }
        }
    }

    /// Adds a text whose type is not written, as in a query.
    mutating func observe(text: Span<UInt8>) {
        count += 1
        if text.equals("true") || text.equals("false") {
            note(.boolean)
        } else if Self.isPlainInteger(text) {
            note(.integer)
        } else {
            note(.string)
            strings.observe(text)
        }
    }

    /// Adds an object whose values have no types, as a form.
    mutating func observe(pairs: [(name: String, value: [UInt8])]) {
        count += 1
        note(.object)
        var seen: Set<String> = []
        for pair in pairs where seen.insert(pair.name).inserted {
            add(pair.name) { $0.observe(text: pair.value.span) }
        }
    }

    private mutating func note(_ kind: Kind) { counts[kind.rawValue] += 1 }

    private mutating func observe(element: JSONValue) {
        if elements.isEmpty { elements.append(ValueShape()) }
        elements[0].observe(element)
    }

    private mutating func observe(_ name: String, _ value: JSONValue) {
        if others.isEmpty, properties[name] == nil, names.count >= Self.maxProperties {
            others.append(ValueShape())
            properties = [:]
            names = []
        }
        guard others.isEmpty else {
            others[0].observe(value)
            return
        }
        if properties[name] == nil { names.append(name) }
        properties[name, default: ValueShape()].observe(value)
    }

    private mutating func add(_ name: String, _ observe: (inout ValueShape) -> Void) {
        if properties[name] == nil {
            guard names.count < Self.maxProperties else { return }
            names.append(name)
        }
        observe(&properties[name, default: ValueShape()])
    }

    private static func isInteger(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !text[index].isDigit && text[index] != .ascii("-") {
            return false
        }
        return true
    }

    /// Whether a text is an integer that would be written like that: no leading zero, at most 18
    /// digits.
    private static func isPlainInteger(_ text: Span<UInt8>) -> Bool {
        guard 1...18 ~= text.count, isInteger(text) else { return false }
        guard let value = Int(ByteString(text).description) else { return false }
        return ByteString(text).description == String(value)
    }
}

extension ValueShape {
    /// Writes the shape as a JSON Schema.
    func writeSchema(to json: inout JSONWriter) {
        json.beginObject()
        let kinds = Kind.allCases.filter { kind in
            // Integers are numbers, too.
            count(of: kind) > 0 && !(kind == .integer && count(of: .number) > 0)
        }
        writeTypes(kinds, to: &json)
        if count(of: .string) > 0 { writeStrings(isOnly: kinds == [.string], to: &json) }
        if let element = elements.first {
            json.key("items")
            element.writeSchema(to: &json)
        } else if count(of: .array) > 0 {
            json.key("items")
            json.beginObject()
            json.endObject()
        }
        if count(of: .object) > 0 { writeObject(to: &json) }
        json.endObject()
    }

    private func writeTypes(_ kinds: [Kind], to json: inout JSONWriter) {
        if kinds.isEmpty { return }
        json.key("type")
        if kinds.count == 1 { return json.string(kinds[0].name) }
        json.beginArray()
        for kind in kinds { json.string(kind.name) }
        json.endArray()
    }

    private func writeStrings(isOnly: Bool, to json: inout JSONWriter) {
        if let format = strings.format { json.member("format", format.rawValue) }
        guard isOnly, let values = strings.enumeration else { return }
        json.key("enum")
        json.beginArray()
        for value in values { json.string(value) }
        json.endArray()
    }

    private func writeObject(to json: inout JSONWriter) {
        if let other = others.first {
            json.key("additionalProperties")
            other.writeSchema(to: &json)
            return
        }
        json.key("properties")
        json.beginObject()
        for name in names {
            json.key(name.utf8.span)
            (properties[name] ?? ValueShape()).writeSchema(to: &json)
        }
        json.endObject()
        let objects = count(of: .object)
        let required = names.filter { properties[$0]?.count == objects }
        guard !required.isEmpty else { return }
        json.key("required")
        json.beginArray()
        for name in required { json.string(name) }
        json.endArray()
    }
}
