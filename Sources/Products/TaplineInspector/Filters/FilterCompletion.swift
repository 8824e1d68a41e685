// SPDX-License-Identifier: MIT

internal import TaplineQuery
internal import TaplineStore

/// What can be typed at a place of a filter.
struct FilterCompletion {
    /// A text that can take the place of what was typed.
    struct Item {
        let text: String
        let kind: String
        var detail = ""
    }

    private enum Expected {
        /// A field, `not` or a saved filter.
        case field
        case comparison(of: String)
        case value(of: String)
        /// `and` or `or`.
        case connective
    }

    /// How many items there are at most.
    private static let limit = 50

    /// The bytes that an item replaces.
    let range: Range<Int>
    private let prefix: String
    private let expected: Expected

    /// Finds out what is expected.
    ///
    /// - Parameters:
    ///   - text: The filter.
    ///   - offset: The place, in bytes; what follows is ignored.
    init(_ text: String, at offset: Int) {
        let bytes = Array(text.utf8.prefix(max(offset, 0)))
        var words = Self.words(bytes)
        var last = words.last.map { $0.upperBound == bytes.count ? $0 : nil } ?? nil
        // After an operator, a new word begins without a space.
        if let word = last, Self.isOperator(bytes[word]) { last = nil }
        if last != nil { words.removeLast() }
        range = last ?? bytes.count..<bytes.count
        prefix = String(decoding: bytes[range], as: UTF8.self)
        expected = Self.expected(after: words.map { String(decoding: bytes[$0], as: UTF8.self) })
    }

    /// Returns the items.
    ///
    /// - Parameters:
    ///   - values: Returns values of a field that begin with a text.
    ///   - saved: Returns the saved filters.
    /// - Returns: The items that begin with what was typed.
    /// - Throws: The errors of the closures.
    func items(
        values: (String, String) throws -> [String],
        saved: () throws -> [SavedFilter]
    ) throws -> [Item] {
        let items: [Item]
        switch expected {
        case .field:
            if prefix.hasPrefix("@") || prefix.isEmpty {
                let filters = try saved().map {
                    Item(text: "@\($0.name)", kind: "saved", detail: $0.text)
                }
                items = (prefix.isEmpty ? Self.fields : []) + filters
            } else {
                items = Self.fields
            }
        case .comparison(let field): items = Self.operators(of: field)
        case .value(let field):
            let start = prefix.hasPrefix("\"") ? String(prefix.dropFirst()) : prefix
            return try values(field, start).prefix(Self.limit).map {
                Item(text: Self.literal($0, of: field), kind: "value")
            }
        case .connective:
            items = ["and", "or"].map { Item(text: $0, kind: "keyword") }
        }
        return Array(items.filter { $0.text.hasPrefix(prefix) }.prefix(Self.limit))
    }

    // MARK: Items

    private static let fields =
        Filter.fieldNames.filter { $0 != "env" }.map { Item(text: $0, kind: "field") }
        + [Item(text: "not", kind: "keyword")]

    /// The kind of a field; `nil` if there is no such field.
    private static func kind(of field: String) -> Field.Kind? {
        (try? FieldReference.list(field))?.first?.field.kind
    }

    private static func operators(of field: String) -> [Item] {
        let operators =
            switch kind(of: field) {
            case .number?, .size?, .duration?, .time?:
                ["==", "!=", "<", "<=", ">", ">=", "in", "exists"]
            default:
                field == "any"
                    ? ["contains", "~"]
                    : ["==", "!=", "contains", "like", "~", "in", "exists"]
            }
        return operators.map { Item(text: $0, kind: "operator") }
    }

    private static func literal(_ value: String, of field: String) -> String {
        switch kind(of: field) {
        case .number?, .size?, .duration?: return value
        default:
            var text = "\""
            for scalar in value.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(scalar)
            }
            return text + "\""
        }
    }

    // MARK: Words

    /// What follows some words.
    private static func expected(after words: [String]) -> Expected {
        guard let last = words.last else { return .field }
        switch last {
        case "and", "or", "not", "(": return .field
        case "exists", ")", "]": return .connective
        case "==", "!=", "<", "<=", ">", ">=", "~", "like", "contains", "in":
            return .value(of: words.dropLast().last ?? "")
        case "[", ",":
            // Within a list: the field is before `in`.
            guard let list = words.lastIndex(of: "in"), list > 0 else { return .field }
            return .value(of: words[list - 1])
        default:
            let before = words.dropLast().last
            let isField = before == nil || ["and", "or", "not", "("].contains(before ?? "")
            return isField && !last.hasPrefix("@") ? .comparison(of: last) : .connective
        }
    }

    private static func isOperator(_ word: ArraySlice<UInt8>) -> Bool {
        word.allSatisfy { Self.isOperatorByte($0) } || word.elementsEqual("(".utf8)
            || word.elementsEqual("[".utf8) || word.elementsEqual(",".utf8)
    }

    private static func isOperatorByte(_ byte: UInt8) -> Bool {
        "=!<>~".utf8.contains(byte)
    }

    /// The words of a text: strings, operators, brackets, and everything else between spaces.
    ///
    /// A key in brackets belongs to its field.
    private static func words(_ bytes: [UInt8]) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var at = 0
        while at < bytes.count {
            let start = at
            let byte = bytes[at]
            at += 1
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "\""): at = endOfString(bytes, from: at)
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: ","):
                break
            case _ where isOperatorByte(byte):
                while at < bytes.count, isOperatorByte(bytes[at]) { at += 1 }
            default: at = endOfWord(bytes, from: at)
            }
            words.append(start..<at)
        }
        return words
    }

    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var at = start
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "\"") { return at + 1 }
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        return bytes.count
    }

    private static func endOfWord(_ bytes: [UInt8], from start: Int) -> Int {
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "[") {
                // `query["n"]`, or a path into JSON.
                while at < bytes.count, bytes[at] != UInt8(ascii: "]") {
                    at += 1
                    if at < bytes.count, bytes[at] == UInt8(ascii: "\"") {
                        at = endOfString(bytes, from: at + 1)
                    }
                }
                at = min(at + 1, bytes.count)
                continue
            }
            if byte <= 0x20 || isOperatorByte(byte) || "(),]\"".utf8.contains(byte) { break }
            at += 1
        }
        return at
    }
}
