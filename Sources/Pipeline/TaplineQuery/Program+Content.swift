// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Comparisons that look into bodies, cookies, messages and notes.
extension Program {
    func holdsForContent(_ test: Test, _ exchange: borrowing Exchange) -> Bool {
        switch test.field {
        case .any: return holdsAnywhere(test, exchange)
        case .json:
            if holdsForJSON(test, exchange.request.body) { return true }
            return exchange.response.map { holdsForJSON(test, $0.body) } ?? false
        case .messageText:
            for message in exchange.messages where holds(test, message.bytes.span) { return true }
            return false
        case .note, .mark:
            guard exchange.hasExtra, let notes = exchange.extra?.notes else { return false }
            return notes.contains {
                holdsUnlessEmpty(test, (test.field == .note ? $0.text : $0.mark).utf8.span)
            }
        default: return false
        }
    }

    func holdsForRoute(_ test: Test, _ path: Span<UInt8>) -> Bool {
        var template: [UInt8] = []
        PathTemplate.make(path, into: &template)
        return holdsUnlessEmpty(test, template.span)
    }

    /// Compares the cookies of a name; a Set-Cookie field has one, before its attributes.
    func holdsForCookie(
        _ test: Test,
        _ fields: borrowing FieldSection,
        _ fieldName: String,
        allPairs: Bool
    ) -> Bool {
        let name = text.span.extracting(test.key)
        var start = 0
        while let position = fields.firstIndex(of: fieldName, from: start) {
            start = position + 1
            let field = fields.value(at: position)
            var next = 0
            while let pair = CookiePair(field, from: next) {
                if let value = pair.value, field.extracting(pair.name).equals(name),
                    holds(test, field.extracting(value))
                {
                    return true
                }
                guard allPairs else { break }
                next = pair.next
            }
        }
        return false
    }
}

// MARK: - Any part

extension Program {
    /// Searches the URL, all fields and trailers, both bodies and the messages.
    private func holdsAnywhere(_ test: Test, _ exchange: borrowing Exchange) -> Bool {
        withOperand(values[test.values.lowerBound]) { operand in
            if exchange.request.url.span.contains(operand, ignoringCase: false) { return true }
            if Program.contains(operand, exchange.request.fields, exchange.request.trailers) {
                return true
            }
            if holdsForBody(test, exchange.request.body) { return true }
            if let response = exchange.response {
                if Program.contains(operand, response.fields, response.trailers) { return true }
                if holdsForBody(test, response.body) { return true }
            }
            for message in exchange.messages
            where message.bytes.span.contains(operand, ignoringCase: false) {
                return true
            }
            return false
        }
    }

    private static func contains(
        _ operand: Span<UInt8>,
        _ fields: borrowing FieldSection,
        _ trailers: borrowing FieldSection
    ) -> Bool {
        contains(operand, fields) || contains(operand, trailers)
    }

    private static func contains(
        _ operand: Span<UInt8>,
        _ fields: borrowing FieldSection
    ) -> Bool {
        for position in fields.indices {
            if fields.value(at: position).contains(operand, ignoringCase: false) { return true }
            if fields.name(at: position).contains(operand, ignoringCase: false) { return true }
        }
        return false
    }
}

// MARK: - JSON

extension Program {
    /// Compares the values at a path of a body; a body that is not JSON has none.
    func holdsForJSON(_ test: Test, _ body: borrowing Body) -> Bool {
        guard !body.bytes.isEmpty else { return false }
        guard !body.coding.isEmpty else { return holdsForJSON(test, document: body.bytes.span) }
        guard let decoded = BodyText.decode(body, limit: maxDecodedBytes) else { return false }
        return holdsForJSON(test, document: decoded.span)
    }

    private func holdsForJSON(_ test: Test, document bytes: Span<UInt8>) -> Bool {
        var start = 0
        while start < bytes.count, Program.isSpace(bytes[start]) { start += 1 }
        guard start < bytes.count, Program.beginsJSON(bytes[start]) else { return false }
        var parser = JSONParser(surrogates: .replace)
        do throws(JSONError) {
            let document = try parser.parse(bytes)
            return holds(test, document.root, paths[test.key.lowerBound].steps, 0)
        } catch {
            return false
        }
    }

    private func holds(
        _ test: Test,
        _ value: JSONValue,
        _ steps: [JSONPath.Step],
        _ position: Int
    ) -> Bool {
        guard position < steps.count else { return holds(test, value) }
        var members = value.members
        while let member = members.next() {
            switch steps[position] {
            case .member(let name) where member.key.bytes.equals(name.span): break
            case .every: break
            default: continue
            }
            if holds(test, member.value, steps, position + 1) { return true }
        }
        var elements = value.elements
        var index = 0
        while let element = elements.next() {
            if steps[position] == .every || steps[position] == .element(index),
                holds(test, element, steps, position + 1)
            {
                return true
            }
            index += 1
        }
        return false
    }

    /// Compares one value; the literals compare as texts, arrays and objects only exist.
    private func holds(_ test: Test, _ value: JSONValue) -> Bool {
        switch value.kind {
        case .string: holds(test, value.bytes)
        case .true: holds(test, "true".utf8.span)
        case .false: holds(test, "false".utf8.span)
        case .null: holds(test, "null".utf8.span)
        case .number: holds(test, number: value)
        default: test.test == .exists
        }
    }

    private func holds(_ test: Test, number: JSONValue) -> Bool {
        switch test.test {
        case .exists: return true
        case .isIn:
            for position in test.values where Program.order(number, values[position]) == 0 {
                return true
            }
            return false
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard let order = Program.order(number, values[test.values.lowerBound]) else {
                return test.test == .notEqual
            }
            return Program.holds(test.test, order: order)
        case .like, .matches, .contains, .never: return false
        }
    }

    private static func order(_ number: JSONValue, _ value: Value) -> Int? {
        if let whole = number.asInt64 { return order(whole, value) }
        guard let real = number.asDouble else { return nil }
        switch value {
        case .whole(let right): return real < Double(right) ? -1 : real == Double(right) ? 0 : 1
        case .real(let right): return real < right ? -1 : real == right ? 0 : 1
        case .text: return nil
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Whether a byte can begin a document that has paths or is a value.
    static func beginsJSON(_ byte: UInt8) -> Bool {
        switch byte {
        case .ascii("{"), .ascii("["), .ascii("\""), .ascii("-"), 0x30...0x39, .ascii("t"),
            .ascii("f"), .ascii("n"):
            true
        default: false
        }
    }
}
