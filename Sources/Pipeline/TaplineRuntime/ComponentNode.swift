// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// A component as declared in the file: its plugin, its options, and the keys beside the plugin.
struct ComponentNode {
    /// The plugin's name.
    let plugin: String
    /// The location of the plugin's name.
    let location: SourceLocation
    /// The plugin's options; null if there are none.
    var options: ConfigNode
    /// The keys beside the plugin, as a mapping.
    var common: ConfigNode
}

/// Parses the declarations of one kind of component.
struct ComponentReader {
    /// `source`, `stage` or `sink`, for messages.
    let kind: String
    /// The names of the known plugins.
    let plugins: [String]
    /// The keys that are allowed beside the plugin's key.
    let commonKeys: [String]

    /// Reads a declaration: a plugin's name, or a mapping with exactly one plugin key.
    func read(_ node: ConfigNode, into diagnostics: inout Diagnostics) -> ComponentNode? {
        if let name = node.text {
            guard plugins.contains(name) else {
                reportUnknown(name, at: node.location, into: &diagnostics)
                return nil
            }
            return ComponentNode(
                plugin: name,
                location: node.location,
                options: ConfigNode(.null, at: node.location),
                common: ConfigNode(.mapping([]), at: node.location)
            )
        }
        guard let pairs = node.pairs else {
            diagnostics.error(
                at: node.location,
                "wrong type of value; found \(node.found), expected a \(kind)'s name or a mapping"
            )
            return nil
        }
        return read(pairs, of: node, into: &diagnostics)
    }

    private func read(
        _ pairs: [ConfigNode.Pair],
        of node: ConfigNode,
        into diagnostics: inout Diagnostics
    ) -> ComponentNode? {
        let own = pairs.filter { plugins.contains($0.key.text ?? "") }
        guard let first = own.first, let name = first.key.text else {
            let unknown = pairs.first { !commonKeys.contains($0.key.text ?? "") }
            reportUnknown(
                unknown?.key.text,
                at: unknown?.key.location ?? node.location,
                into: &diagnostics
            )
            return nil
        }
        if let second = own.dropFirst().first {
            diagnostics.error(
                at: second.key.location,
                "two plugins in one \(kind); found '\(second.key.text ?? "")' beside '\(name)', "
                    + "expected one",
                help: "give it a list item of its own"
            )
            return nil
        }
        let rest = pairs.filter { !plugins.contains($0.key.text ?? "") }
        return ComponentNode(
            plugin: name,
            location: first.key.location,
            options: first.value,
            common: ConfigNode(.mapping(rest), at: first.key.location)
        )
    }

    /// The products with plugins that are not linked by default, by kind and name.
    private static let products = [
        "source proxy": "TaplineProxy", "source client_replay": "TaplineProxy",
        "source server_replay": "TaplineProxy", "source nats": "TaplineStreams",
        "sink nats": "TaplineStreams", "source kafka": "TaplineKafka", "sink kafka": "TaplineKafka",
    ]

    private func reportUnknown(
        _ name: String?,
        at location: SourceLocation,
        into diagnostics: inout Diagnostics
    ) {
        if let name, let product = Self.products["\(kind) \(name)"] {
            return diagnostics.error(
                at: location,
                "the \(kind) '\(name)' needs the product '\(product)', which is not linked",
                help: "add the product to the program's dependencies, and its plugins to the call "
                    + "that starts it"
            )
        }
        let found = name.map { "unknown \(kind) '\($0)'" } ?? "a \(kind) without a plugin"
        diagnostics.error(
            at: location,
            "\(found); expected one of \(plugins.joined(separator: ", "))",
            help: name.flatMap { Suggestion.help(for: $0, among: plugins) }
        )
    }
}
