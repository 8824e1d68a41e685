// SPDX-License-Identifier: MIT

/// A source, a stage or a sink, without effect.
public struct Component: Sendable {
    /// A component without effect; the stage is not used.
    public static func stage(_ name: String, _ factory: some Sendable) -> Component { Component() }
    /// A component without effect; the sink is not used.
    public static func sink(_ name: String, _ factory: some Sendable) -> Component { Component() }
    /// A component without effect.
    public static func urlProtocol(shared: Bool? = nil, captureMaxBytes: Int? = nil) -> Component {
        Component()
    }
    /// A component without effect.
    public static func runtime(
        memory: Int? = nil,
        drainTimeout: Duration? = nil,
        spill: String? = nil
    ) -> Component { Component() }
}

/// Builds lists of components without effect.
@resultBuilder
public enum ComponentBuilder {
    /// One component.
    public static func buildExpression(_ component: Component) -> [Component] { [] }
    /// Components in sequence.
    public static func buildBlock(_ parts: [Component]...) -> [Component] { [] }
    /// The components of an `if` without `else`.
    public static func buildOptional(_ part: [Component]?) -> [Component] { [] }
    /// The components of the first branch.
    public static func buildEither(first part: [Component]) -> [Component] { [] }
    /// The components of the second branch.
    public static func buildEither(second part: [Component]) -> [Component] { [] }
    /// The components of a loop.
    public static func buildArray(_ parts: [[Component]]) -> [Component] { [] }
}
