// SPDX-License-Identifier: MIT

/// A value with its node, so that problems found later can point at it.
public struct Located<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The node of the value; `nil` for a value created in code.
    package var node: ConfigNode?

    /// Creates a value in code.
    public init(_ value: Value) {
        self.init(value, at: nil)
    }

    /// Creates a value with its node.
    package init(_ value: Value, at node: ConfigNode?) {
        self.value = value
        self.node = node
    }

    /// The location of the node.
    public var location: SourceLocation? { node?.location }
}

/// A pair of a mapping with user-defined keys.
public struct ConfigEntry<Value: Sendable>: Sendable {
    /// The key as written.
    public var key: String
    /// The decoded value.
    public var value: Value
    /// The location of the key; `nil` for an entry created in code.
    public var keyLocation: SourceLocation?
    /// The location of the value; `nil` for an entry created in code.
    public var location: SourceLocation?

    /// Creates an entry.
    public init(
        key: String,
        value: Value,
        keyLocation: SourceLocation? = nil,
        location: SourceLocation? = nil
    ) {
        self.key = key
        self.value = value
        self.keyLocation = keyLocation
        self.location = location
    }
}
