// SPDX-License-Identifier: MIT

package import TaplineSystem

/// The context in which an option type decodes a node.
package struct OptionContext: Sendable {
    /// Receives the problems.
    package var diagnostics: Diagnostics
    /// The environment for `${NAME}`.
    package let environment: Environment
    /// The owner of the options in messages: a plugin's or an option's name.
    package internal(set) var owner: String
    /// The location of the owner's name, for missing options.
    var place: SourceLocation?
    /// The right places of options that are found at a wrong level.
    var places = OptionPlaces()
    /// Whether the options are nested in another option.
    var isNested = false
    /// Whether scalars still have to be interpolated.
    var interpolates: Bool

    /// Creates a context.
    package init(
        owner: String = "",
        environment: Environment = Environment(),
        diagnostics: Diagnostics = Diagnostics()
    ) {
        self.owner = owner
        self.environment = environment
        self.diagnostics = diagnostics
        self.interpolates = true
    }

    /// Reports a value of the wrong type and returns `nil`, which a decoder can return.
    package mutating func mismatch<Value>(
        _ node: ConfigNode,
        expected: String,
        help: String? = nil
    ) -> Value? {
        error(node, "wrong type of value; found \(node.found), expected \(expected)", help: help)
    }

    /// Reports an error at a node and returns `nil`.
    package mutating func error<Value>(
        _ node: ConfigNode,
        _ message: String,
        help: String? = nil
    ) -> Value? {
        diagnostics.error(at: node.location, message, help: help)
        return nil
    }
}
