// SPDX-License-Identifier: MIT

/// The environment variables that `${NAME}` stands for, as a value.
public struct Environment: Sendable, Hashable {
    /// Names and values.
    public var variables: [String: String]
    /// Where variables are set, as errors say it; nothing where they are those of the process.
    public var place: String?

    /// Makes an environment; empty unless told otherwise.
    public init(_ variables: [String: String] = [:], place: String? = nil) {
        self.variables = variables
        self.place = place
    }

    /// The value of a variable.
    public subscript(name: String) -> String? {
        variables[name]
    }
}
