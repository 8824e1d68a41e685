// SPDX-License-Identifier: MIT

import TaplineProtobuf
import TestSupport

/// Random message types, and messages of them with planted secrets.
struct HostileMessages {
    /// What is planted.
    enum Planting {
        /// Secrets in all places in which the standard preset redacts: under names of secrets, in
        /// text with names, in messages whose types are not known.
        case everywhere
        /// Secrets in fields, maps and pairs that have the name of one.
        case named
        /// What detectors find, in any string or bytes.
        case detected
    }

    private indirect enum Value {
        case scalar(ProtobufValueType)
        case message(Int)
        case group(Int)
        case any
        case map(Value)
        case pair
    }

    private struct Field {
        let name: String
        let number: Int
        let value: Value
        var isRepeated = false
        var isSecret: Bool { HostileMessages.secretNames.contains(name) }
    }

    static let secretNames = ["password", "access_token", "clientSecret", "api_key"]
    private static let names = ["id", "title", "colour", "nested", "part", "extra", "data", "more"]
    private static let numbers: [ProtobufValueType] = [
        .int64, .sint64, .fixed64, .uint64, .sfixed64, .int32, .bool, .double, .enum,
    ]
    /// More than there are messages, whose indices are other ones.
    private static let enumCount = 200
    private static let typeCount = 30

    private var types: [[Field]] = []
    private var random: Random
    private(set) var descriptors: [UInt8] = []
    /// The planted secrets since the last `begin`.
    private(set) var secrets: [[UInt8]] = []
    private var planting = Planting.everywhere

    /// Makes the types, which are the same for the same seed.
    init(seed: Int) {
        random = Random(seed: UInt64(seed))
        var set = DescriptorSet(package: "h")
        var known = DescriptorSet(package: "google.protobuf")
        known.add(
            "Any",
            [
                .init(name: "type_url", number: 1, type: .string),
                .init(name: "value", number: 2, type: .bytes),
            ]
        )
        set.add(
            "Pair",
            [
                .init(name: "name", number: 4, type: .string),
                .init(name: "key", number: 2, type: .string),
                .init(name: "value", number: 9, type: .string),
            ]
        )
        for index in 0..<Self.typeCount {
            var fields: [Field] = []
            var written: [DescriptorSet.Field] = []
            for position in 0..<3 + random.below(6) {
                let name =
                    random.below(3) == 0
                    ? random.pick(Self.secretNames) : random.pick(Self.names)
                let number = position * (1 + random.below(3)) * 5 + position + 1
                guard !fields.contains(where: { $0.number == number }) else { continue }
                var field = Field(name: name, number: number, value: value())
                field.isRepeated = random.below(3) == 0
                fields.append(field)
                written.append(declaration(of: field, in: index, &set))
            }
            types.append(fields)
            set.add("M\(index)", written)
        }
        for index in 0..<Self.enumCount { set.addEnum("C\(index)") }
        set.add(
            service: "S",
            (0..<Self.typeCount).map {
                ("Call\($0)", "h.M\($0)", "h.M\(Self.answer(to: $0))")
            }
        )
        descriptors = set.bytes + known.bytes
    }

    private mutating func value() -> Value {
        switch random.below(12) {
        case 0, 1, 2: .scalar(.string)
        case 3, 4: .scalar(.bytes)
        case 5: .scalar(random.pick(Self.numbers))
        case 6, 7: .message(random.below(Self.typeCount))
        case 8: .group(random.below(Self.typeCount))
        case 9: .any
        case 10:
            .map(random.below(2) == 0 ? .scalar(.string) : .message(random.below(Self.typeCount)))
        default: .pair
        }
    }

    private func declaration(
        of field: Field,
        in type: Int,
        _ set: inout DescriptorSet
    ) -> DescriptorSet.Field {
        var written = DescriptorSet.Field(name: field.name, number: field.number, type: .message)
        written.isRepeated = field.isRepeated
        switch field.value {
        case .scalar(let scalar):
            written.type = scalar
            if scalar == .enum { written.typeName = "h.C\(Self.enumCount - 1 - type)" }
        case .message(let index): written.typeName = "h.M\(index)"
        case .group(let index):
            written.type = .group
            written.typeName = "h.M\(index)"
        case .any: written.typeName = "google.protobuf.Any"
        case .pair: written.typeName = "h.Pair"
        case .map(let value):
            let name = "E\(type)_\(field.number)"
            var content = DescriptorSet.Field(name: "value", number: 2, type: .string)
            if case .message(let index) = value {
                content.type = .message
                content.typeName = "h.M\(index)"
            }
            let key = DescriptorSet.Field(name: "key", number: 1, type: .string)
            set.add(name, [key, content], isMapEntry: true)
            written.typeName = "h.\(name)"
            written.isRepeated = true
        }
        return written
    }

    /// The type of the response to a type of request.
    static func answer(to type: Int) -> Int { (type * 7 + 3) % typeCount }

    // MARK: Messages

    /// Begins another record.
    mutating func begin(_ planting: Planting, seed: Int) {
        random = Random(seed: UInt64(seed) &* 7_919)
        self.planting = planting
        secrets = []
    }

    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    /// Returns a message of a type.
    mutating func message(_ type: Int, depth: Int = 3) -> [UInt8] {
        var bytes: [UInt8] = []
        var fields = types[type]
        fields.shuffle(using: &random)
        for field in fields where random.below(4) > 0 {
            for _ in 0..<(field.isRepeated ? 1 + random.below(2) : 1) {
                write(field, depth, to: &bytes)
            }
        }
        if planting == .everywhere, random.below(4) == 0 {
            // The descriptors do not know this field.
            ProtobufWriter.append(1_000 + random.below(9), secret().span, to: &bytes)
        }
        return bytes
    }

    private mutating func write(_ field: Field, _ depth: Int, to bytes: inout [UInt8]) {
        let number = field.number
        let plants = planting == .detected || field.isSecret
        let isGroup = if case .group = field.value { true } else { false }
        if planting == .everywhere, !isGroup, random.below(12) == 0 {
            // In the wire type of another type.
            bytes += GRPCBodies.group(number, GRPCBodies.message((1, secret())))
            return
        }
        switch field.value {
        case .scalar(let type): scalar(type, number, plants, field.isRepeated, to: &bytes)
        case .message(let type):
            guard depth > 0 else { return }
            ProtobufWriter.append(number, message(type, depth: depth - 1).span, to: &bytes)
        case .group(let type):
            guard depth > 0 else { return }
            bytes += GRPCBodies.group(number, message(type, depth: depth - 1))
        case .any: ProtobufWriter.append(number, any(depth).span, to: &bytes)
        case .map(let value):
            let isNamed = random.below(2) == 0
            let key = isNamed ? random.pick(Self.secretNames) : "colour"
            var content = text(planting == .detected || isNamed || field.isSecret)
            if case .message(let type) = value {
                content = depth > 0 ? message(type, depth: depth - 1) : []
            }
            let entry = GRPCBodies.message((1, Array(key.utf8)), (2, content))
            ProtobufWriter.append(number, entry.span, to: &bytes)
        case .pair:
            let place = random.pick([2, 4])
            let pair = GRPCBodies.message(
                (9, text(true)),
                (place, Array(random.pick(Self.secretNames).utf8)),
                (6 - place, Array("x".utf8))
            )
            ProtobufWriter.append(number, pair.span, to: &bytes)
        }
    }

    private mutating func scalar(
        _ type: ProtobufValueType,
        _ number: Int,
        _ plants: Bool,
        _ isRepeated: Bool,
        to bytes: inout [UInt8]
    ) {
        switch type {
        case .string:
            let value = plants ? secret() : string()
            ProtobufWriter.append(number, value.span, to: &bytes)
        case .bytes:
            let value = plants ? secret() : data()
            ProtobufWriter.append(number, value.span, to: &bytes)
        default: numbers(type, number, plants, isRepeated, to: &bytes)
        }
    }

    /// Writes one number, or packed ones, of which one is a secret.
    private mutating func numbers(
        _ type: ProtobufValueType,
        _ number: Int,
        _ plants: Bool,
        _ isRepeated: Bool,
        to bytes: inout [UInt8]
    ) {
        var content: [UInt8] = []
        for position in 0..<(isRepeated ? 3 : 1) {
            let isPlanted = plants && position == 0 && type != .bool
            let bits = isPlanted ? secretBits(type) : UInt64(random.below(100))
            var one: [UInt8] = []
            if type.wireType == .varint {
                ProtobufWriter.append(varint: bits, to: &one)
            } else {
                one = (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
            }
            if isPlanted { secrets.append(one) }
            content += one
        }
        if isRepeated {
            ProtobufWriter.append(number, content.span, to: &bytes)
        } else {
            ProtobufWriter.append(tag: number, type.wireType, to: &bytes)
            bytes += content
        }
    }

    /// Returns a number under a name, or one with sixteen digits that a detector finds, of any sign.
    private mutating func secretBits(_ type: ProtobufValueType) -> UInt64 {
        guard planting == .detected else { return random.next() >> 8 | 1 << 55 }
        let digits = 1_000_000_000_000_000 + Int64(random.next() % 8_000_000_000_000_000)
        let number = random.below(2) == 0 ? digits : -digits
        switch type {
        case .double: return Double(number).bitPattern
        case .sint64: return UInt64(bitPattern: number << 1 ^ number >> 63)
        default: return UInt64(bitPattern: number)
        }
    }

    /// Returns a group and a string that are also JSON in which no name is that of a secret.
    mutating func likeJSON() -> [UInt8] {
        let first = Array(#"":""#.utf8) + secret(of: 20) + Array(#"","a":""#.utf8)
        let second = Array(#","b":""#.utf8) + secret(of: 22) + Array(#""}"#.utf8)
        return GRPCBodies.group(15, GRPCBodies.message((4, first)))
            + GRPCBodies.message((4, second))
    }

    private mutating func any(_ depth: Int) -> [UInt8] {
        guard depth > 0 else { return [] }
        let type = random.below(Self.typeCount)
        let content = message(type, depth: depth - 1)
        let isKnown = planting != .everywhere || random.below(2) == 0
        let name = isKnown ? "M\(type)" : "Unknown"
        return GRPCBodies.message((1, Array("type.test/h.\(name)".utf8)), (2, content))
    }

    /// Returns a string without a name, or one with a name in it.
    private mutating func string() -> [UInt8] {
        guard planting == .everywhere, random.below(3) == 0 else { return Array("harmless".utf8) }
        let before = random.pick([#"{"password":""#, "Authorization: Bearer ", "token="])
        let after = before.hasPrefix("{") ? #""}"# : ""
        return Array(before.utf8) + secret() + Array(after.utf8)
    }

    /// Returns bytes that are no text, or a message without a type.
    private mutating func data() -> [UInt8] {
        switch random.below(3) {
        case 0 where planting == .everywhere:
            return GRPCBodies.message((1 + random.below(20), secret()))
        case 1 where planting == .everywhere: return [0xFF, 0xFE, 0] + secret()
        default: return Array("plain".utf8)
        }
    }

    private mutating func text(_ plants: Bool) -> [UInt8] {
        plants ? secret() : Array("plain".utf8)
    }

    /// Returns a new secret; long and short ones have lengths that look like text.
    private mutating func secret() -> [UInt8] {
        secret(of: random.pick([9, 10, 13, 20, 31, 40, 100, 150]))
    }

    private mutating func secret(of count: Int) -> [UInt8] {
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
        let start = planting == .detected ? Array("SK-".utf8) : Array("q7".utf8)
        let secret = start + (0..<count).map { _ in random.pick(letters) }
        secrets.append(secret)
        return secret
    }
}
