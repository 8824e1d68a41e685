// SPDX-License-Identifier: MIT

/// The reason why bytes are not a protobuf message, without any of the bytes.
package struct ProtobufError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package struct Code: Hashable, Sendable {
        /// The name in views and messages.
        package let name: String

        /// The bytes end within a field.
        package static let truncated = Code(name: "truncated")
        /// A varint has more than ten bytes.
        package static let longVarint = Code(name: "long_varint")
        /// A field number is zero or greater than 536,870,911, or a wire type is unknown.
        package static let invalidTag = Code(name: "invalid_tag")
        /// A group ends that did not begin, or ends with another number.
        package static let unbalancedGroup = Code(name: "unbalanced_group")
        /// Messages or groups are nested too deeply.
        package static let tooDeep = Code(name: "too_deep")
        /// There are too many fields.
        package static let tooManyFields = Code(name: "too_many_fields")
        /// A file of descriptors contradicts itself.
        package static let invalidDescriptor = Code(name: "invalid_descriptor")
    }

    /// The kind of failure.
    package let code: Code
    /// The offset of the field that could not be read.
    package let offset: Int

    /// A file of descriptors exceeds the limit of its reader.
    package static let tooLarge = ProtobufError(Code(name: "too_large"), at: 0)

    init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// The kind of failure and its offset.
    package var description: String { "\(code.name) at byte \(offset)" }
}

/// The limits of reading a message.
package struct ProtobufLimits: Hashable, Sendable {
    /// The maximum nesting depth of messages and groups; protobuf's own parsers stop at 100.
    package var maxDepth = 64
    /// The maximum number of fields that are read, in all nested messages together.
    package var maxFields = 100_000
    /// The maximum number of values of a packed field that are listed as candidates.
    package var maxPacked = 1_024
    /// The maximum size of a view in bytes; what follows is left out.
    package var maxViewBytes = 4 << 20
    /// The maximum number of fields that are read in all messages of a call together.
    package var maxCallFields = 200_000
    /// The maximum size in bytes of the views of all messages of a call together.
    package var maxCallViewBytes = 8 << 20

    /// The limits for messages of HTTP bodies.
    package init() {}
}
