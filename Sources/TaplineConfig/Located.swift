// SPDX-License-Identifier: MIT

/// A value with the node it came from, so that a problem found later can point at it.
public struct Located<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// Where it was written; nil for a value made in code.
    public var node: ConfigNode?

    /// Joins a value and its node.
    public init(_ value: Value, at node: ConfigNode? = nil) {
        self.value = value
        self.node = node
    }

    /// The place of the node.
    public var location: SourceLocation? { node?.location }
}

/// A pair of a mapping whose keys are the user's own.
public struct ConfigEntry<Value: Sendable>: Sendable {
    /// The key as it is written.
    public var key: String
    /// The decoded value.
    public var value: Value
    /// Where the key stands; nil for an entry made in code.
    public var keyLocation: SourceLocation?
    /// Where the value stands; nil for an entry made in code.
    public var location: SourceLocation?

    /// Joins a key and its value.
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
