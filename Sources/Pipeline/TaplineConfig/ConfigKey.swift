// SPDX-License-Identifier: MIT

/// The single declaration of an option, from which it is decoded, validated and documented.
public struct ConfigKey<Value: Sendable>: Sendable {
    /// The name in the file, in snake_case.
    public let name: String
    /// The type and notation of the value.
    package let type: OptionType<Value>
    /// The value if the option is not given; `nil` for a required option.
    package let defaultValue: Value?
    /// A one-sentence description.
    package let summary: String
    /// An example value in the notation of the file.
    package let example: String?
    /// Whether `${NAME}` is replaced in the value.
    package let interpolates: Bool

    /// Declares an optional option.
    public init(
        _ name: String,
        _ type: OptionType<Value>,
        default defaultValue: Value,
        summary: String,
        example: String? = nil,
        interpolates: Bool = true
    ) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.summary = summary
        self.example = example
        self.interpolates = interpolates
    }

    /// Declares a required option.
    public init(
        _ name: String,
        _ type: OptionType<Value>,
        summary: String,
        example: String? = nil,
        interpolates: Bool = true
    ) {
        self.name = name
        self.type = type
        self.defaultValue = nil
        self.summary = summary
        self.example = example
        self.interpolates = interpolates
    }
}

extension ConfigKey: ConfigKeyDeclaration {
    /// The declaration without its value type.
    public var erased: AnyConfigKey {
        AnyConfigKey(self)
    }
}

/// A declaration of an option of any type; only ``ConfigKey`` and ``AnyConfigKey`` conform to it.
public protocol ConfigKeyDeclaration: Sendable {
    /// The declaration without its value type.
    var erased: AnyConfigKey { get }
}

/// An option without its value type, from which schemas, help and reference pages are generated.
public struct AnyConfigKey: Sendable, ConfigKeyDeclaration {
    /// The name in the file.
    package let name: String
    /// The name of the type.
    package let typeName: String
    /// The unit of the value.
    package let unit: String?
    /// The default in the notation of the file; `nil` for a required option, or if the default has
    /// no text.
    package let defaultText: String?
    /// A one-sentence description.
    package let summary: String
    /// An example value in the notation of the file.
    package let example: String?
    /// Whether the option is required.
    package let isRequired: Bool
    /// Whether `${NAME}` is replaced in the value.
    package let interpolates: Bool
    /// The JSON Schema of the value.
    package let schema: JSONSchemaNode
    /// The nested options.
    package let nested: OptionSchema?

    let defaultValue: (any Sendable)?
    let decode: @Sendable (ConfigNode, inout OptionContext) -> (any Sendable)?

    init<Value>(_ key: ConfigKey<Value>) {
        name = key.name
        typeName = key.type.name
        unit = key.type.unit
        defaultText = key.defaultValue.flatMap(key.type.describe)
        summary = key.summary
        example = key.example
        isRequired = key.defaultValue == nil
        interpolates = key.interpolates
        schema = key.type.schema
        nested = key.type.nested
        defaultValue = key.defaultValue
        decode = { node, context in
            let outer = context.interpolates
            context.interpolates = outer && key.interpolates
            defer { context.interpolates = outer }
            return key.type.decode(node, &context)
        }
    }

    /// Returns itself.
    public var erased: AnyConfigKey { self }
}
