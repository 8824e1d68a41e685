// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineRuntime

/// `tapline plugins [NAME]`.
enum PluginsCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        guard let name = invocation.operands.first else {
            invocation.console.print(list(invocation.registry.all))
            return .success
        }
        let found = invocation.registry.all.filter { $0.name == name }
        guard !found.isEmpty else {
            let names = invocation.registry.all.map(\.name)
            let error = UsageError(
                message: "unknown plugin '\(name)'; expected \(names.joined(separator: ", "))",
                help: Suggestion.help(for: name, among: names)
            )
            return invocation.report(error)
        }
        let texts = found.map { explain($0, in: invocation.registry) }
        invocation.console.print(texts.joined(separator: "\n"))
        return .success
    }

    private static func list(_ plugins: [PluginDescription]) -> String {
        let width = plugins.map(\.name.count).max() ?? 0
        let kinds = PluginDescription.Kind.allCases.map { kind in
            let lines = plugins.filter { $0.kind == kind }
                .map { "  \(Columns.pad($0.name, to: width))  \($0.summary)" }
            return (["\(kind.rawValue)s"] + lines).joined(separator: "\n")
        }
        return kinds.joined(separator: "\n\n")
            + "\n\n'tapline plugins NAME' explains a plugin."
    }

    private static func explain(_ plugin: PluginDescription, in registry: PluginRegistry) -> String
    {
        var lines = ["\(plugin.name) (\(plugin.kind.rawValue)): \(plugin.summary)"]
        appendOptions(of: plugin.options, to: &lines, prefix: "")
        lines += ["", "Keys beside '\(plugin.name)' in the same list item, not within it:"]
        let common = PipelineSchema.keys(beside: plugin, of: registry)
        appendOptions(of: common, to: &lines, prefix: "")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func appendOptions(
        of schema: OptionSchema,
        to lines: inout [String],
        prefix: String
    ) {
        for key in schema.keys {
            let fallback =
                key.isRequired ? "required" : key.defaultText.map { "default \($0)" } ?? "optional"
            lines.append("")
            lines.append("  \(prefix)\(key.name): \(key.typeName) (\(fallback))")
            lines += Columns.wrap(key.summary, to: 72).map { "      \($0)" }
            if let example = key.example {
                lines.append("      example: \(key.name): \(example)")
            }
            if let nested = key.nested {
                appendOptions(of: nested, to: &lines, prefix: "\(prefix)\(key.name).")
            }
        }
    }
}
