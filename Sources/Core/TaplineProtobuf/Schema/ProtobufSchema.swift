// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// The types of the values of fields, by their numbers in descriptors.
package enum ProtobufValueType: UInt64, Sendable {
    case double = 1
    case float = 2
    case int64 = 3
    case uint64 = 4
    case int32 = 5
    case fixed64 = 6
    case fixed32 = 7
    case bool = 8
    case string = 9
    case group = 10
    case message = 11
    case bytes = 12
    case uint32 = 13
    case `enum` = 14
    case sfixed32 = 15
    case sfixed64 = 16
    case sint32 = 17
    case sint64 = 18

    /// How a value that is not packed is written.
    package var wireType: ProtobufWireType {
        switch self {
        case .double, .fixed64, .sfixed64: .fixed64
        case .float, .fixed32, .sfixed32: .fixed32
        case .string, .bytes, .message: .lengthDelimited
        case .group: .group
        case .int32, .int64, .uint32, .uint64, .bool, .enum, .sint32, .sint64: .varint
        }
    }
}

/// A field of a message type.
package struct ProtobufFieldType: Sendable {
    /// The number on the wire.
    package let number: Int
    /// The name in the schema: `user_name`.
    package let name: String
    /// The name in JSON: `userName`.
    package let jsonName: String
    /// The type of its values.
    package let type: ProtobufValueType
    /// Whether it may have several values; also true for maps.
    package let isRepeated: Bool
    /// The full name of the message or enum; empty for other types.
    package let typeName: String
    /// The index of the message type or the enum; `nil` if the descriptors lack it.
    var typeIndex: Int?

    /// Whether a value is written as the type says; numbers of repeated fields may be packed.
    package func fits(_ value: ProtobufField) -> Bool {
        if value.wireType == type.wireType { return true }
        return isRepeated && type.isPackable && value.wireType == .lengthDelimited
    }

    /// The index of the message type in the schema; `nil` if it has none.
    package var messageIndex: Int? { type == .message || type == .group ? typeIndex : nil }

    /// The index of the enum in the schema; `nil` if it has none.
    package var enumIndex: Int? { type == .enum ? typeIndex : nil }
}

/// A message type.
package struct ProtobufMessageType: Sendable {
    /// The full name: `shop.v1.Order`.
    package let name: String
    /// The fields by their numbers.
    package internal(set) var fields: [Int: ProtobufFieldType] = [:]
    /// Whether it is an entry of a map: field 1 is the key, field 2 the value.
    package internal(set) var isMapEntry = false
}

/// An enum: the first name of each number.
package struct ProtobufEnumType: Sendable {
    /// The full name.
    package let name: String
    /// The names by their numbers.
    package internal(set) var names: [Int32: String] = [:]
}

/// A method of a service.
package struct ProtobufMethod: Sendable {
    /// The index of the request's message type; `nil` if the descriptors lack it.
    package internal(set) var input: Int?
    /// The index of the response's message type; `nil` if the descriptors lack it.
    package internal(set) var output: Int?
    /// Whether the client may send several messages.
    package let streamsRequests: Bool
    /// Whether the server may send several messages.
    package let streamsResponses: Bool
    let inputName: String
    let outputName: String
}

/// The message types, enums and services of a `FileDescriptorSet`, as written by
/// `protoc --include_imports --descriptor_set_out`.
///
/// Types that the set lacks are shown and edited without names.
package final class ProtobufSchema: Sendable {
    /// The message types.
    package let messages: [ProtobufMessageType]
    /// The enums.
    package let enums: [ProtobufEnumType]
    /// The methods by their paths in requests: `/shop.v1.Orders/Get`.
    package let methods: [String: ProtobufMethod]
    private let messagesByName: [String: Int]

    /// Reads a set of descriptors.
    ///
    /// - Parameter descriptors: A serialized `google.protobuf.FileDescriptorSet`.
    /// - Throws: `ProtobufError`.
    package init(_ descriptors: Span<UInt8>) throws(ProtobufError) {
        var loader = DescriptorLoader()
        try loader.read(descriptors)
        loader.resolve()
        messages = loader.messages
        enums = loader.enums
        methods = loader.methods
        messagesByName = loader.messagesByName
    }

    /// Returns the index of a message type by its full name.
    package func message(named name: String) -> Int? { messagesByName[name] }
}
