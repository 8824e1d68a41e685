// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// The source, a stage or a sink of a pipeline that is built in code, or its limits.
///
/// Its options are processed like those of a YAML file, with the same names and the same errors.
public struct Component: Sendable {
    enum Place: String, Sendable {
        case source
        case stage
        case sink
        case runtime
    }

    /// The value of an option.
    enum Value: Sendable {
        case text(String)
        /// A number or a boolean, as in a file without quotes.
        case plain(String)
        case bytes(Int)
        case time(Duration)
        case list([Value])
        case map([(name: String, value: Value)])

        static func texts(_ texts: [String]) -> Value { .list(texts.map { .text($0) }) }
        static func number(_ number: Int) -> Value { .plain("\(number)") }
        static func truth(_ truth: Bool) -> Value { .plain("\(truth)") }
    }

    let place: Place
    let plugin: String
    var options: [(name: String, value: Value)] = []
    var common: [(name: String, value: Value)] = []
    /// A plugin of the app, which is known under its name only in this component.
    var stage: (any StageFactory)?
    var sink: (any SinkFactory)?

    /// The options of a component, in order.
    struct OptionList {
        fileprivate var pairs: [(name: String, value: Value)] = []

        /// Sets an option; `nil` means the default.
        mutating func set(_ name: String, _ value: Value?) {
            if let value { pairs.append((name, value)) }
        }

        /// The options as the value of another option.
        var map: Value { .map(pairs) }
    }

    init(_ place: Place, _ plugin: String, _ options: (inout OptionList) -> Void = { _ in }) {
        self.place = place
        self.plugin = plugin
        var list = OptionList()
        options(&list)
        self.options = list.pairs
    }

    /// The id, if one was set.
    var id: String? {
        guard case .text(let id)? = common.first(where: { $0.name == "id" })?.value else {
            return nil
        }
        return id
    }

    func adding(_ name: String, _ value: Value) -> Component {
        var copy = self
        // The last value takes precedence.
        copy.common.removeAll { $0.name == name }
        copy.common.append((name, value))
        return copy
    }
}

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

extension [Component] {
    /// The app's own plugins among the components.
    var plugins: PluginRegistry {
        var registry = PluginRegistry()
        for component in self {
            if let stage = component.stage {
                registry.stages.append(
                    StagePlugin(
                        name: component.plugin,
                        summary: "A stage of the app.",
                        options: OptionSchema(),
                        hasWireHooks: !stage.hooks.isDisjoint(with: .wire),
                        build: { _, _ in stage }
                    )
                )
            }
            if let sink = component.sink {
                registry.sinks.append(
                    SinkPlugin(
                        name: component.plugin,
                        summary: "A sink of the app.",
                        options: OptionSchema(),
                        build: { _, _ in sink }
                    )
                )
            }
        }
        return registry
    }
}
