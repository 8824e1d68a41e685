// SPDX-License-Identifier: MIT

public import TaplineComponents
internal import TaplineConfig
public import TaplinePlugin

extension Component {
    /// A stage of the app, which imports `TaplinePlugin`.
    ///
    /// - Parameters:
    ///   - name: Its name in logs and counters, unless it has an id.
    ///   - factory: Makes an instance for each lane; its `hooks` are the hooks that they have.
    /// - Returns: The stage.
    public static func stage(_ name: String, _ factory: any StageFactory) -> Component {
        var component = Component(.stage, name)
        component.factory = factory
        component.origin = ComponentOrigin()
        return component
    }

    /// A sink of the app, which imports `TaplinePlugin`.
    ///
    /// - Parameters:
    ///   - name: Its name in logs and counters, unless it has an id.
    ///   - factory: Opens the sink when the tap starts.
    /// - Returns: The sink.
    public static func sink(_ name: String, _ factory: any SinkFactory) -> Component {
        var component = Component(.sink, name)
        component.factory = factory
        component.origin = ComponentOrigin()
        return component
    }
}

/// Identifies a component of the app's own, and its copies.
private final class ComponentOrigin: Sendable {}

extension [Component] {
    /// The objects that identify the app's own plugins, by the names of these.
    var origins: [String: any AnyObject & Sendable] {
        var origins: [String: any AnyObject & Sendable] = [:]
        for component in self { origins[component.plugin] = component.origin }
        return origins
    }

    /// The app's own plugins among the components.
    var plugins: PluginRegistry {
        var registry = PluginRegistry()
        for component in self {
            if component.place == .stage, let stage = component.factory as? any StageFactory {
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
            if component.place == .sink, let sink = component.factory as? any SinkFactory {
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
