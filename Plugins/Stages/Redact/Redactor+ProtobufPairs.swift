// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// What one field of a protobuf message says about another: the name of a value, the type of bytes.
extension Redactor {
    /// Returns the rule that the name in a pair has for its value.
    ///
    /// Pairs are entries of maps, and messages with a name and a value. Without a type, the fields 1
    /// and 2 may be a pair.
    func pairRule(_ bytes: Span<UInt8>, _ type: Int?) -> (values: [Int], rule: Rule)? {
        let pair = type.map { rules.pairs[$0] } ?? .entry
        guard !pair.names.isEmpty, !pair.values.isEmpty else { return nil }
        var reader = ProtobufReader(0..<bytes.count)
        var found: Rule?
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard pair.names.contains(field.number), field.wireType == .lengthDelimited,
                field.value.count <= 256
            else { continue }
            found = rules.json.rule(forNested: bytes.extracting(field.value)) ?? found
        }
        return found.map { (pair.values, $0) }
    }

    static let anyName = "google.protobuf.Any"

    /// Returns the type of the message in `Any`; `nil` if it is unknown, or if several are named.
    func containedType(_ bytes: Span<UInt8>) -> Int? {
        var reader = ProtobufReader(0..<bytes.count)
        var url: Range<Int>?
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard field.number == 1, field.wireType == .lengthDelimited else { continue }
            guard url == nil else { return nil }
            url = field.value
        }
        guard let url else { return nil }
        let text = bytes.extracting(url)
        let start = text.lastIndex(of: .ascii("/")).map { $0 + 1 } ?? 0
        let name = Array(copying: text.extracting(start..<text.count))
        return rules.schema?.message(named: String(decoding: name, as: UTF8.self))
    }

    /// Returns the numbers of fields that hold one message but occur several times, each once.
    ///
    /// Parsers merge their parts. Which name or type belongs to a value is only known then.
    func splitFields(_ bytes: Span<UInt8>, _ type: ProtobufMessageType) -> [Int] {
        var reader = ProtobufReader(0..<bytes.count)
        var seen: [Int] = []
        var split: [Int] = []
        while let field = (try? reader.next(in: bytes)) ?? nil {
            guard let declared = type.fields[field.number], !declared.isRepeated,
                declared.messageIndex != nil
            else { continue }
            if !seen.contains(field.number) {
                seen.append(field.number)
            } else if !split.contains(field.number) {
                split.append(field.number)
            }
        }
        return split
    }
}

/// The fields of a message type that are a pair.
struct ProtobufPair: Sendable {
    /// The numbers of the fields that may be the name.
    let names: [Int]
    /// The numbers of the fields that are its value.
    let values: [Int]

    /// The entry of a map.
    static let entry = ProtobufPair(names: [1], values: [2])

    private init(names: [Int], values: [Int]) {
        self.names = names
        self.values = values
    }

    /// Finds the fields of a pair by their names: `key` or `name`, and `value`, `values` or
    /// `string_value`.
    init(_ type: ProtobufMessageType) {
        guard !type.isMapEntry else {
            self = .entry
            return
        }
        let fields = type.fields.values
        names = fields.filter { $0.name == "key" || $0.name == "name" }.map(\.number)
        let isValue = { (name: String) in
            name == "value" || name == "values" || name.hasSuffix("_value")
        }
        values = fields.filter { isValue($0.name) }.map(\.number)
    }
}
