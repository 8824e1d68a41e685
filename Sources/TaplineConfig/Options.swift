// SPDX-License-Identifier: MIT

/// The decoded options of one component, read by their declarations: `options[maxBytes]`.
public struct Options: Sendable {
    /// The declarations they were decoded with.
    public let schema: OptionSchema
    /// What they belong to, for messages.
    public let owner: String

    private var node: ConfigNode?
    private let environment: Environment
    private var values: [String: Entry] = [:]

    private struct Entry: Sendable {
        var value: any Sendable
        var location: SourceLocation?
    }

    /// Options in code: defaults, to be set with the subscript.
    public init(_ schema: OptionSchema, owner: String = "") {
        self.init(schema: schema, owner: owner, node: nil, environment: Environment())
    }

    init(schema: OptionSchema, owner: String, node: ConfigNode?, environment: Environment) {
        self.schema = schema
        self.owner = owner
        self.node = node
        self.environment = environment
    }

    /// The value of an option, or its default.
    ///
    /// Reading a required option that is not set is a mistake of the program: decoding refuses it.
    public subscript<Value>(key: ConfigKey<Value>) -> Value {
        get {
            if let value = values[key.name]?.value as? Value { return value }
            guard let value = key.defaultValue else {
                preconditionFailure("option '\(key.name)' is required and was not decoded")
            }
            return value
        }
        set { values[key.name] = Entry(value: newValue, location: values[key.name]?.location) }
    }

    /// Whether the file or an override gives an option.
    public func isSet<Value>(_ key: ConfigKey<Value>) -> Bool {
        values[key.name] != nil
    }

    /// Where an option's value stands; the whole mapping when it is not given.
    public func location<Value>(of key: ConfigKey<Value>) -> SourceLocation? {
        values[key.name]?.location ?? node?.location
    }

    mutating func store(_ name: String, _ value: any Sendable, at location: SourceLocation) {
        values[name] = Entry(value: value, location: location)
    }

    /// Decodes one option anew after a value inside it was replaced.
    mutating func override(
        _ path: [String],
        with value: ConfigNode,
        named key: SourceLocation,
        into diagnostics: inout Diagnostics
    ) -> Bool {
        let names = schema.keys.map(\.name)
        guard let name = path.first, let declaration = schema[name] else {
            diagnostics.error(
                at: key,
                "unknown option \(quoted(path.first ?? "")) in '\(owner)'; expected "
                    + names.joined(separator: ", "),
                help: path.first.flatMap { Suggestion.help(for: $0, among: names) }
            )
            return false
        }
        let old = node?[name] ?? ConfigNode(.null, at: value.location)
        let new = old.setting(Array(path.dropFirst()), to: value)
        var context = OptionContext(owner: name, environment: environment)
        let decoded = declaration.decode(new, &context)
        diagnostics.append(contentsOf: context.diagnostics)
        guard let decoded else { return false }
        values[name] = Entry(value: decoded, location: value.location)
        let whole = node ?? ConfigNode(.mapping([]), at: value.location)
        node = whole.setting([name], to: new)
        return true
    }
}
