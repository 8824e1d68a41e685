// SPDX-License-Identifier: MIT

internal import TaplineConfig
package import TaplinePlugin
internal import TaplineSystem

/// A component that a plugin has built from options in YAML.
package struct BuiltPlugin<Component> {
    /// `nil` if the options are wrong.
    package let component: Component?
    /// What is wrong, with its places; it shows lines of the options.
    package let problems: String
    /// What is wrong, without the lines.
    package let messages: String

    private init(
        _ text: String,
        _ options: OptionSchema,
        _ environment: [String: String],
        _ build: (Options, inout BuildContext) -> Component?
    ) {
        let environment = Environment(environment)
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
        let decoded = node.flatMap {
            options.decode($0, owner: "plugin", into: &diagnostics, environment: environment)
        }
        var context = BuildContext(id: "plugin", environment: environment)
        context.diagnostics = diagnostics
        component = decoded.flatMap { build($0, &context) }
        problems = context.diagnostics.rendered
        messages = context.diagnostics.all.map(\.message).joined(separator: "\n")
    }
}

extension BuiltPlugin where Component == any SinkFactory {
    package init(_ plugin: SinkPlugin, _ text: String, environment: [String: String] = [:]) {
        self.init(text, plugin.description.options, environment) { plugin.build($0, &$1) }
    }
}

extension BuiltPlugin where Component == any Source {
    package init(_ plugin: SourcePlugin, _ text: String, environment: [String: String] = [:]) {
        self.init(text, plugin.description.options, environment) { plugin.build($0, &$1) }
    }
}
