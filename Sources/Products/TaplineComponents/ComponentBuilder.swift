// SPDX-License-Identifier: MIT

/// Builds the list of components in their order: stages run in it, sinks are independent.
@resultBuilder
public enum ComponentBuilder {
    /// One component.
    public static func buildExpression(_ component: Component) -> [Component] { [component] }
    /// Components in sequence.
    public static func buildBlock(_ parts: [Component]...) -> [Component] { parts.flatMap(\.self) }
    /// The components of an `if` without `else`.
    public static func buildOptional(_ part: [Component]?) -> [Component] { part ?? [] }
    /// The components of the first branch.
    public static func buildEither(first part: [Component]) -> [Component] { part }
    /// The components of the second branch.
    public static func buildEither(second part: [Component]) -> [Component] { part }
    /// The components of a loop.
    public static func buildArray(_ parts: [[Component]]) -> [Component] { parts.flatMap(\.self) }
}
