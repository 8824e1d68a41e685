// SPDX-License-Identifier: MIT

/// The type of a configuration value: its name, its schema, and its decoder.
///
/// Other modules create types of their own (filters, globs, speeds) with the initializer.
public struct OptionType<Value: Sendable>: Sendable {
    /// Decodes a node; if that fails, reports problems to the context and returns `nil`.
    package typealias Decoder = @Sendable (ConfigNode, inout OptionContext) -> Value?

    /// The name in messages and tables: `text`, `size`, `list of text`.
    package let name: String
    /// The unit of the value, such as `bytes` or `time`; `nil` if it has none.
    package let unit: String?
    /// The JSON Schema of the value.
    package let schema: JSONSchemaNode
    /// Writes a value in the notation of the file; `nil` if it has no short text.
    package let describe: @Sendable (Value) -> String?
    /// The nested options, for `.object` and types derived from it.
    let nested: OptionSchema?
    private let decoder: Decoder

    /// Creates a type.
    ///
    /// - Parameters:
    ///   - name: The name in messages.
    ///   - unit: The unit of the value.
    ///   - schema: The JSON Schema of the value.
    ///   - describe: Writes a value in the notation of the file; used for defaults.
    ///   - decode: Decodes a node whose scalars are interpolated.
    package init(
        name: String,
        unit: String? = nil,
        schema: JSONSchemaNode,
        describe: @escaping @Sendable (Value) -> String? = { _ in nil },
        decode: @escaping Decoder
    ) {
        self.init(
            name: name,
            unit: unit,
            schema: schema,
            describe: describe,
            nested: nil,
            decode: decode
        )
    }

    init(
        name: String,
        unit: String?,
        schema: JSONSchemaNode,
        describe: @escaping @Sendable (Value) -> String?,
        nested: OptionSchema?,
        decode: @escaping Decoder
    ) {
        self.name = name
        self.unit = unit
        self.schema = schema
        self.describe = describe
        self.nested = nested
        self.decoder = decode
    }

    /// Decodes a node; first replaces `${NAME}` in its scalars, unless that is done or disabled.
    package func decode(_ node: ConfigNode, _ context: inout OptionContext) -> Value? {
        // Nested options are interpolated one by one, since each of them may disable it.
        guard context.interpolates, nested == nil else { return decoder(node, &context) }
        guard let resolved = Interpolation.resolve(node, &context) else { return nil }
        context.interpolates = false
        defer { context.interpolates = true }
        return decoder(resolved, &context)
    }
}
