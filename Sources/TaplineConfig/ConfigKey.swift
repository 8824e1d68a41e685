// SPDX-License-Identifier: MIT

/// The one declaration of an option: it decodes, validates, documents and describes.
public struct ConfigKey<Value: Sendable>: Sendable {
    /// The name in the file, in snake_case.
    public let name: String
    /// How the value is written.
    public let type: OptionType<Value>
    /// What holds when the option is not given; nil for a required one.
    public let defaultValue: Value?
    /// One sentence that says what it does.
    public let summary: String
    /// A value as it could stand in the file.
    public let example: String?
    /// Whether `${NAME}` is replaced in it.
    public let interpolates: Bool

    /// Declares an option that may be left out.
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

    /// Declares an option that must be given.
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

/// A declaration of an option of any type; only ``ConfigKey`` and ``AnyConfigKey`` are ones.
public protocol ConfigKeyDeclaration: Sendable {
    /// The declaration without its value type.
    var erased: AnyConfigKey { get }
}

/// An option without its value type: what schemas, help and reference pages are made from.
public struct AnyConfigKey: Sendable, ConfigKeyDeclaration {
    /// The name in the file.
    public let name: String
    /// What the type is called.
    public let typeName: String
    /// The unit it is written with.
    public let unit: String?
    /// The default as the file would write it; nil for a required option or one without.
    public let defaultText: String?
    /// One sentence that says what it does.
    public let summary: String
    /// A value as it could stand in the file.
    public let example: String?
    /// Whether it must be given.
    public let isRequired: Bool
    /// Whether `${NAME}` is replaced in it.
    public let interpolates: Bool
    /// The JSON Schema of its value.
    public let schema: JSONSchemaNode
    /// The options within it.
    public let nested: OptionSchema?

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

    /// Itself.
    public var erased: AnyConfigKey { self }
}
