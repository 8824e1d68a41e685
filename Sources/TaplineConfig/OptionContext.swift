// SPDX-License-Identifier: MIT

/// What an option type has at hand while it turns a node into a value.
public struct OptionContext: Sendable {
    /// Where problems go.
    public var diagnostics: Diagnostics
    /// The environment that `${NAME}` was, or is, replaced from.
    public let environment: Environment
    /// What the options belong to, for messages: a plugin's or an option's name.
    public internal(set) var owner: String
    /// Where the owner is named, for what is missing in it.
    var place: SourceLocation?
    /// Where options belong that are found at a wrong level.
    var places = OptionPlaces()
    /// Whether the options stand within another one.
    var isNested = false
    /// Whether scalars are still to be interpolated.
    var interpolates: Bool

    /// Makes a context.
    public init(
        owner: String = "",
        environment: Environment = Environment(),
        diagnostics: Diagnostics = Diagnostics()
    ) {
        self.owner = owner
        self.environment = environment
        self.diagnostics = diagnostics
        self.interpolates = true
    }

    /// Reports `expected …; found …` at a node and returns nil, so that a decoder can return it.
    public mutating func mismatch<Value>(
        _ node: ConfigNode,
        expected: String,
        help: String? = nil
    ) -> Value? {
        error(node, "wrong type of value; found \(node.found), expected \(expected)", help: help)
    }

    /// Reports an error at a node and returns nil.
    public mutating func error<Value>(
        _ node: ConfigNode,
        _ message: String,
        help: String? = nil
    ) -> Value? {
        diagnostics.error(at: node.location, message, help: help)
        return nil
    }
}
