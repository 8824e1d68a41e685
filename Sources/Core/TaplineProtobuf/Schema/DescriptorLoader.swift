// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Reads `google.protobuf.FileDescriptorSet`, which is itself a message (descriptor.proto).
///
/// **Units**: at most `maxTypes` types; nested types as deep as the reader allows.
struct DescriptorLoader {
    private(set) var messages: [ProtobufMessageType] = []
    private(set) var enums: [ProtobufEnumType] = []
    private(set) var methods: [String: ProtobufMethod] = [:]
    private(set) var messagesByName: [String: Int] = [:]
    private var enumsByName: [String: Int] = [:]
    private var extensions: [(extendee: String, field: ProtobufFieldType)] = []

    private static let maxTypes = 1_000_000
    private static let maxDepth = 64

    mutating func read(_ bytes: Span<UInt8>) throws(ProtobufError) {
        var reader = ProtobufReader(0..<bytes.count)
        while let field = try reader.next(in: bytes) {
            guard field.number == 1 else { continue }
            try Self.expect(field)
            try file(bytes, field.value)
        }
    }

    /// Looks up the types that fields and methods name, and adds extensions to the types they
    /// extend.
    mutating func resolve() {
        for found in extensions {
            guard let index = messagesByName[found.extendee],
                messages[index].fields[found.field.number] == nil
            else { continue }
            messages[index].fields[found.field.number] = found.field
        }
        for index in messages.indices {
            for (number, field) in messages[index].fields {
                let found =
                    field.type == .enum
                    ? enumsByName[field.typeName] : messagesByName[field.typeName]
                messages[index].fields[number]?.typeIndex = found
            }
        }
        for (path, method) in methods {
            methods[path]?.input = messagesByName[method.inputName]
            methods[path]?.output = messagesByName[method.outputName]
        }
    }

    private static func expect(
        _ field: ProtobufField,
        _ type: ProtobufWireType = .lengthDelimited
    ) throws(ProtobufError) {
        guard field.wireType == type else {
            throw ProtobufError(.invalidDescriptor, at: field.range.lowerBound)
        }
    }

    private static func text(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField
    ) throws(ProtobufError) -> String {
        try expect(field)
        return String(decoding: Array(copying: bytes.extracting(field.value)), as: UTF8.self)
    }

    private static func joined(_ scope: String, _ name: String) -> String {
        scope.isEmpty ? name : "\(scope).\(name)"
    }

    /// `.shop.v1.Order` without the period.
    private static func typeName(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: ".") ? String(text.dropFirst()) : text
    }

    // MARK: Files

    private mutating func file(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(ProtobufError) {
        var package = ""
        var reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            if field.number == 2 { package = try Self.text(bytes, field) }
        }
        reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            switch field.number {
            case 4: try message(bytes, field, in: package, depth: 0)
            case 5: try enumeration(bytes, field, in: package)
            case 6: try service(bytes, field, in: package)
            case 7: try extensionField(bytes, field, in: package)
            default: break
            }
        }
    }

    private mutating func message(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        in scope: String,
        depth: Int
    ) throws(ProtobufError) {
        try Self.expect(field)
        guard depth < Self.maxDepth, messages.count < Self.maxTypes else {
            throw ProtobufError(.tooDeep, at: field.range.lowerBound)
        }
        let name = Self.joined(scope, try Self.name(bytes, field.value))
        var type = ProtobufMessageType(name: name)
        var reader = ProtobufReader(field.value)
        while let part = try reader.next(in: bytes) {
            switch part.number {
            case 2:
                let found = try self.field(bytes, part, in: name).field
                type.fields[found.number] = found
            case 3: try message(bytes, part, in: name, depth: depth + 1)
            case 4: try enumeration(bytes, part, in: name)
            case 6: try extensionField(bytes, part, in: name)
            case 7:
                try Self.expect(part)
                type.isMapEntry = try Self.flag(7, bytes, part.value)
            default: break
            }
        }
        messagesByName[name] = messages.count
        messages.append(type)
    }

    /// The name of a declaration, its field 1.
    private static func name(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(ProtobufError) -> String {
        var name = ""
        var reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            if field.number == 1 { name = try text(bytes, field) }
        }
        guard !name.isEmpty else { throw ProtobufError(.invalidDescriptor, at: range.lowerBound) }
        return name
    }

    private static func flag(
        _ number: Int,
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(ProtobufError) -> Bool {
        var isSet = false
        var reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            if field.number == number { isSet = field.bits != 0 }
        }
        return isSet
    }

    // MARK: Fields, enums and services

    private func field(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        in scope: String
    ) throws(ProtobufError) -> (field: ProtobufFieldType, extendee: String) {
        try Self.expect(field)
        var (name, jsonName, typeName, extendee) = ("", "", "", "")
        var number = 0
        var type: ProtobufValueType?
        var isRepeated = false
        var reader = ProtobufReader(field.value)
        while let part = try reader.next(in: bytes) {
            switch part.number {
            case 1: name = try Self.text(bytes, part)
            case 2: extendee = Self.typeName(try Self.text(bytes, part))
            case 3: number = Int(clamping: part.bits)
            case 4: isRepeated = part.bits == 3
            case 5: type = ProtobufValueType(rawValue: part.bits)
            case 6: typeName = Self.typeName(try Self.text(bytes, part))
            case 10: jsonName = try Self.text(bytes, part)
            default: break
            }
        }
        guard let type, !name.isEmpty, (1...0x1FFF_FFFF).contains(number) else {
            throw ProtobufError(.invalidDescriptor, at: field.range.lowerBound)
        }
        if jsonName.isEmpty { jsonName = Self.lowerCamelCase(name) }
        if !extendee.isEmpty { jsonName = "[\(Self.joined(scope, name))]" }
        let found = ProtobufFieldType(
            number: number,
            name: name,
            jsonName: jsonName,
            type: type,
            isRepeated: isRepeated,
            typeName: typeName
        )
        return (found, extendee)
    }

    /// The JSON name that protoc derives: `user_name` becomes `userName`.
    private static func lowerCamelCase(_ name: String) -> String {
        var output: [UInt8] = []
        var isNext = false
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                isNext = true
            } else {
                let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                output.append(isNext && isLower ? byte - 0x20 : byte)
                isNext = false
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func extensionField(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        in scope: String
    ) throws(ProtobufError) {
        let found = try self.field(bytes, field, in: scope)
        extensions.append((found.extendee, found.field))
    }

    private mutating func enumeration(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        in scope: String
    ) throws(ProtobufError) {
        try Self.expect(field)
        var type = ProtobufEnumType(name: Self.joined(scope, try Self.name(bytes, field.value)))
        var reader = ProtobufReader(field.value)
        while let part = try reader.next(in: bytes) {
            guard part.number == 2 else { continue }
            try Self.expect(part)
            let name = try Self.name(bytes, part.value)
            var number: Int32 = 0
            var inner = ProtobufReader(part.value)
            while let item = try inner.next(in: bytes) {
                if item.number == 2 { number = Int32(truncatingIfNeeded: item.bits) }
            }
            // The first name of an alias is the one that JSON uses.
            if type.names[number] == nil { type.names[number] = name }
        }
        guard enums.count < Self.maxTypes else {
            throw ProtobufError(.tooManyFields, at: field.range.lowerBound)
        }
        enumsByName[type.name] = enums.count
        enums.append(type)
    }

    private mutating func service(
        _ bytes: Span<UInt8>,
        _ field: ProtobufField,
        in scope: String
    ) throws(ProtobufError) {
        try Self.expect(field)
        let service = Self.joined(scope, try Self.name(bytes, field.value))
        var reader = ProtobufReader(field.value)
        while let part = try reader.next(in: bytes) {
            guard part.number == 2 else { continue }
            try Self.expect(part)
            let name = try Self.name(bytes, part.value)
            var (input, output) = ("", "")
            var inner = ProtobufReader(part.value)
            while let item = try inner.next(in: bytes) {
                if item.number == 2 { input = Self.typeName(try Self.text(bytes, item)) }
                if item.number == 3 { output = Self.typeName(try Self.text(bytes, item)) }
            }
            methods["/\(service)/\(name)"] = ProtobufMethod(
                streamsRequests: try Self.flag(5, bytes, part.value),
                streamsResponses: try Self.flag(6, bytes, part.value),
                inputName: input,
                outputName: output
            )
        }
    }
}
