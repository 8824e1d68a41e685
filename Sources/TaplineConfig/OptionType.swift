// SPDX-License-Identifier: MIT

/// How a value of a configuration is written: its name, its schema, and how to decode it.
///
/// Other modules make types of their own (filters, globs, speeds) with the initializer.
public struct OptionType<Value: Sendable>: Sendable {
    /// Decodes a node; reports problems to the context and returns nil when there is no value.
    public typealias Decoder = @Sendable (ConfigNode, inout OptionContext) -> Value?

    /// What messages and tables call it: `text`, `size`, `list of text`.
    public let name: String
    /// The unit it is written with, such as `bytes` or `time`; nil for none.
    public let unit: String?
    /// The JSON Schema of what may be written.
    public let schema: JSONSchemaNode
    /// Writes a value as the file would; nil where a value has no short text.
    public let describe: @Sendable (Value) -> String?
    /// The options inside, for `.object` and types made of it.
    let nested: OptionSchema?
    private let decoder: Decoder

    /// Makes a type.
    ///
    /// - Parameters:
    ///   - name: What messages call it.
    ///   - unit: The unit it is written with.
    ///   - schema: The JSON Schema of what may be written.
    ///   - describe: Writes a value as the file would; used for defaults.
    ///   - decode: Turns a node, its scalars interpolated, into a value.
    public init(
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

    /// Decodes a node; replaces `${NAME}` in its scalars first unless that is done or not wanted.
    public func decode(_ node: ConfigNode, _ context: inout OptionContext) -> Value? {
        // Nested options interpolate for themselves, since each of them may refuse it.
        guard context.interpolates, nested == nil else { return decoder(node, &context) }
        guard let resolved = Interpolation.resolve(node, &context) else { return nil }
        context.interpolates = false
        defer { context.interpolates = true }
        return decoder(resolved, &context)
    }
}
