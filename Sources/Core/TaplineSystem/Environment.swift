// SPDX-License-Identifier: MIT

/// The environment variables that replace `${NAME}`.
public struct Environment: Sendable, Hashable {
    /// Names and values.
    public var variables: [String: String]
    /// The place where variables are set, for errors; `nil` for the environment of the process.
    package var place: String?

    /// Creates an environment, by default an empty one.
    package init(_ variables: [String: String] = [:], place: String? = nil) {
        self.variables = variables
        self.place = place
    }

    /// Returns the value of a variable.
    public subscript(name: String) -> String? {
        variables[name]
    }
}
