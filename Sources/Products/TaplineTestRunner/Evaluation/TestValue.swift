// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel

/// A value as tests compare it: the types of JSON, with the order of keys preserved.
indirect enum TestValue: Sendable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case list([TestValue])
    case object([(key: String, value: TestValue)])
}

extension TestValue {
    /// A value of a JSON document.
    init(_ json: JSONValue) {
        switch json.kind {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .number: self = .number(String(decoding: Array(copying: json.bytes), as: UTF8.self))
        case .string: self = .text(json.asString ?? "")
        case .array:
            var values: [TestValue] = []
            var elements = json.elements
            while let element = elements.next() { values.append(TestValue(element)) }
            self = .list(values)
        case .object:
            var pairs: [(key: String, value: TestValue)] = []
            var members = json.members
            while let member = members.next() {
                pairs.append((member.key.asString ?? "", TestValue(member.value)))
            }
            self = .object(pairs)
        }
    }

    /// Parses a JSON text; returns `nil` if it is not valid.
    init?(json bytes: Span<UInt8>) {
        var parser = JSONParser(maxDepth: 128, surrogates: .replace)
        guard let document = try? parser.parse(bytes) else { return nil }
        self.init(document.root)
    }

    /// Converts a node of a test file: scalars without quotes may be numbers or booleans.
    init(_ node: ConfigNode) {
        switch node.value {
        case .null: self = .null
        case .scalar(let text, let isPlain):
            switch text {
            case "true", "True", "TRUE": self = isPlain ? .bool(true) : .text(text)
            case "false", "False", "FALSE": self = isPlain ? .bool(false) : .text(text)
            default: self = isPlain && Decimal(text) != nil ? .number(text) : .text(text)
            }
        case .sequence(let elements): self = .list(elements.map { TestValue($0) })
        case .mapping(let pairs):
            self = .object(pairs.map { ($0.key.text ?? "", TestValue($0.value)) })
        }
    }

    /// The value of a key of this object.
    subscript(key: String) -> TestValue? {
        guard case .object(let pairs) = self else { return nil }
        return pairs.first { $0.key == key }?.value
    }

    /// The type of the value, for messages.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .text: "text"
        case .list(let values): "a list of \(values.count)"
        case .object: "an object"
        }
    }
}

// MARK: - Equality

extension TestValue: Equatable {
    /// Whether both values are equal: numbers by value, keys in any order.
    static func == (left: TestValue, right: TestValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let first), .bool(let second)): first == second
        case (.number(let first), .number(let second)):
            first == second || Decimal(first).map { $0 == Decimal(second) } ?? false
        case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
        case (.list(let first), .list(let second)): first == second
        case (.object(let first), .object(let second)):
            first.count == second.count
                && first.allSatisfy { pair in
                    second.first { $0.key == pair.key }.map { $0.value == pair.value } ?? false
                }
        default: false
        }
    }
}

/// A number in the notation of JSON (RFC 8259 §6), exact whatever its size.
struct Decimal: Equatable {
    private let isNegative: Bool
    /// Without zeros at either end; empty for 0.
    private let digits: [UInt8]
    private let exponent: Int

    /// Parses a number; returns `nil` if the text is not one.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        let minus = rest.first == UInt8(ascii: "-")
        if minus { rest.removeFirst() }
        let whole = rest.prefix { 0x30...0x39 ~= $0 }
        guard !whole.isEmpty, whole.count == 1 || whole.first != 0x30 else { return nil }
        rest = rest.dropFirst(whole.count)
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix { 0x30...0x39 ~= $0 }
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
        }
        var power = 0
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            let digits = String(decoding: rest.dropFirst(), as: UTF8.self)
            guard let number = Int(digits), number.magnitude <= 1_000_000
            else { return nil }
            power = number
            rest = []
        }
        guard rest.isEmpty else { return nil }
        var all = Array(whole) + Array(fraction)
        var exponent = power - fraction.count
        while all.last == 0x30 {
            all.removeLast()
            exponent += 1
        }
        let leading = all.prefix { $0 == 0x30 }.count
        digits = Array(all.dropFirst(leading))
        isNegative = minus && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : exponent
    }
}
