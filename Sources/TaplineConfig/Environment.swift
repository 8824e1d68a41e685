// SPDX-License-Identifier: MIT

/// The environment variables that `${NAME}` stands for, as a value.
public struct Environment: Sendable, Hashable {
    /// Names and values.
    public var variables: [String: String]

    /// Makes an environment; empty unless told otherwise.
    public init(_ variables: [String: String] = [:]) {
        self.variables = variables
    }

    /// The value of a variable.
    public subscript(name: String) -> String? {
        variables[name]
    }
}
