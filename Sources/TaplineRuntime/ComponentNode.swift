// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// One component as the file declares it: which plugin, its options, and the keys beside it.
struct ComponentNode {
    /// The plugin's name.
    let plugin: String
    /// Where the plugin is named.
    let location: SourceLocation
    /// The plugin's options; null where there are none.
    var options: ConfigNode
    /// The keys beside the plugin, as a mapping.
    var common: ConfigNode

    /// Takes a declaration apart: a plugin's name, or a mapping with exactly one plugin key.
    init?(
        _ node: ConfigNode,
        kind: String,
        plugins: [String],
        common names: [String],
        into diagnostics: inout Diagnostics
    ) {
        let known = "expected one of \(plugins.joined(separator: ", "))"
        if let name = node.text {
            guard plugins.contains(name) else {
                diagnostics.error(
                    at: node.location,
                    "unknown \(kind) '\(name)'; \(known)",
                    help: Suggestion.help(for: name, among: plugins)
                )
                return nil
            }
            self.init(
                name,
                node.location,
                options: ConfigNode(.null, at: node.location),
                common: ConfigNode(.mapping([]), at: node.location)
            )
            return
        }
        guard let pairs = node.pairs else {
            diagnostics.error(
                at: node.location,
                "wrong type of value; found \(node.found), expected a \(kind)'s name or a mapping"
            )
            return nil
        }
        let own = pairs.filter { plugins.contains($0.key.text ?? "") }
        guard let first = own.first else {
            let stranger = pairs.first { !names.contains($0.key.text ?? "") }
            let found = stranger?.key.text
            diagnostics.error(
                at: stranger?.key.location ?? node.location,
                found.map { "unknown \(kind) '\($0)'; \(known)" }
                    ?? "a \(kind) without a plugin; \(known)",
                help: found.flatMap { Suggestion.help(for: $0, among: plugins) }
            )
            return nil
        }
        if let second = own.dropFirst().first {
            diagnostics.error(
                at: second.key.location,
                "two plugins in one \(kind); found '\(second.key.text ?? "")' beside "
                    + "'\(first.key.text ?? "")', expected one",
                help: "begin a list item of its own for it"
            )
            return nil
        }
        let rest = pairs.filter { !plugins.contains($0.key.text ?? "") }
        self.init(
            first.key.text ?? "",
            first.key.location,
            options: first.value,
            common: ConfigNode(.mapping(rest), at: first.key.location)
        )
    }

    private init(
        _ plugin: String,
        _ location: SourceLocation,
        options: ConfigNode,
        common: ConfigNode
    ) {
        self.plugin = plugin
        self.location = location
        self.options = options
        self.common = common
    }
}
