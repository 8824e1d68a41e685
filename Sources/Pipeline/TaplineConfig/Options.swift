// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// The decoded options of one component, accessed by their declarations: `options[maxBytes]`.
public struct Options: Sendable {
    /// The declarations that the options were decoded with.
    package let schema: OptionSchema
    /// The owner of the options in messages.
    package let owner: String

    private var node: ConfigNode?
    private let environment: Environment
    private var values: [String: Entry] = [:]

    private struct Entry: Sendable {
        var value: any Sendable
        var location: SourceLocation?
    }

    /// Creates options in code: all defaults, which the subscript can replace.
    package init(_ schema: OptionSchema, owner: String = "") {
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
    /// Reading a required option that is not set is a programming error, since decoding fails
    /// without it.
    public subscript<Value>(key: ConfigKey<Value>) -> Value {
        get {
            if let entry = values[key.name], let value = entry.value as? Value { return value }
            guard let value = key.defaultValue else {
                preconditionFailure("option '\(key.name)' is required and was not decoded")
            }
            return value
        }
        set { values[key.name] = Entry(value: newValue, location: values[key.name]?.location) }
    }

    /// Returns whether the file or an override sets an option.
    public func isSet<Value>(_ key: ConfigKey<Value>) -> Bool {
        values[key.name] != nil
    }

    /// Returns whether the file or an override sets the option with a name.
    package func isSet(name: String) -> Bool { values[name] != nil }

    /// Returns the location of an option's value; `nil` if it is not set.
    public func location<Value>(ifSet key: ConfigKey<Value>) -> SourceLocation? {
        values[key.name]?.location
    }

    /// Returns the location of an option's value, or of the whole mapping if it is not set.
    public func location<Value>(of key: ConfigKey<Value>) -> SourceLocation? {
        values[key.name]?.location ?? node?.location
    }

    mutating func store(_ name: String, _ value: any Sendable, at location: SourceLocation) {
        values[name] = Entry(value: value, location: location)
    }

    /// Replaces the value of one option and decodes it again; the argument's id is ignored.
    ///
    /// - Parameters:
    ///   - argument: The path and the new value.
    ///   - diagnostics: Receives the problems.
    /// - Returns: Whether the value was replaced; if not, the old value is kept.
    @discardableResult
    package mutating func apply(
        _ argument: OptionAssignment,
        into diagnostics: inout Diagnostics
    ) -> Bool {
        guard let key = argument.path.first, let name = key.text, let declaration = schema[name]
        else {
            if let key = argument.path.first {
                schema.reportUnknown(key, owner, OptionPlaces(), &diagnostics)
            }
            return false
        }
        let old = node?[name] ?? ConfigNode(.null, at: key.location)
        let new = old.setting(argument.path.dropFirst(), to: argument.value)
        var context = OptionContext(owner: name, environment: environment)
        context.place = key.location
        let decoded = declaration.decode(new, &context)
        diagnostics.append(contentsOf: context.diagnostics)
        guard let decoded else { return false }
        values[name] = Entry(value: decoded, location: argument.value.location)
        let whole = node ?? ConfigNode(.mapping([]), at: key.location)
        node = whole.setting([key], to: new)
        return true
    }
}
