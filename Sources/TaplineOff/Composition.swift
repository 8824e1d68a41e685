// SPDX-License-Identifier: MIT

/// A source, a stage or a sink, left out.
public struct Component: Sendable {
    /// Nothing; the stage is not used.
    public static func stage(_ name: String, _ factory: some Sendable) -> Component { Component() }
    /// Nothing; the sink is not used.
    public static func sink(_ name: String, _ factory: some Sendable) -> Component { Component() }
    /// Nothing.
    public static func urlProtocol(shared: Bool? = nil, maxBodySize: Int? = nil) -> Component {
        Component()
    }
    /// Nothing.
    public static func runtime(
        memory: Int? = nil,
        drainTimeout: Duration? = nil,
        spill: String? = nil
    ) -> Component { Component() }
}

/// Puts components together that do nothing.
@resultBuilder
public enum ComponentBuilder {
    /// One component.
    public static func buildExpression(_ component: Component) -> [Component] { [] }
    /// One after the other.
    public static func buildBlock(_ parts: [Component]...) -> [Component] { [] }
    /// Those after an `if`.
    public static func buildOptional(_ part: [Component]?) -> [Component] { [] }
    /// Those of one branch.
    public static func buildEither(first part: [Component]) -> [Component] { [] }
    /// Those of the other.
    public static func buildEither(second part: [Component]) -> [Component] { [] }
    /// Those of a loop.
    public static func buildArray(_ parts: [[Component]]) -> [Component] { [] }
}
