// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// The outline of a configuration file: its components, with their options not yet decoded.
struct PipelineFile {
    /// A declared component and its id.
    struct Component {
        let id: String
        var node: ComponentNode
    }

    /// The keys of the file, in documentation order.
    static let keys = ["version", "sources", "stages", "sinks", "runtime"]

    var sources: [Component] = []
    var stages: [Component] = []
    var sinks: [Component] = []
    var runtime: ConfigNode

    /// Reads the outline; `nil` if the file has none.
    init?(_ root: ConfigNode, _ registry: PluginRegistry, into diagnostics: inout Diagnostics) {
        guard let pairs = root.pairs else {
            diagnostics.error(
                at: root.location,
                "wrong type of file; found \(root.found), expected a mapping with sources and sinks"
            )
            return nil
        }
        runtime = ConfigNode(.null, at: root.location)
        for (key, value) in pairs {
            switch key.text {
            case "version": PipelineFile.checkVersion(value, into: &diagnostics)
            case "runtime": runtime = value
            case "sources", "stages", "sinks": break
            default:
                diagnostics.error(
                    at: key.location,
                    "unknown key \(key.found); expected "
                        + PipelineFile.keys.joined(separator: ", "),
                    help: key.text.flatMap {
                        PipelinePlaces.file.help(for: $0)
                            ?? Suggestion.help(for: $0, among: PipelineFile.keys)
                    }
                )
            }
        }
        if root["version"] == nil {
            diagnostics.error(
                at: root.location,
                "'version' is missing",
                help: "begin the file with 'version: 1'"
            )
        }
        var ids = IDs()
        let readers = PipelineFile.readers(registry)
        sources = PipelineFile.components(root["sources"], readers.source, &ids, &diagnostics)
        stages = PipelineFile.components(root["stages"], readers.stage, &ids, &diagnostics)
        sinks = PipelineFile.components(root["sinks"], readers.sink, &ids, &diagnostics)
        PipelineFile.require(root, "sources", into: &diagnostics)
        PipelineFile.require(root, "sinks", into: &diagnostics)
    }

    /// Replaces a value by one from the command line.
    mutating func apply(_ override: OptionAssignment, into diagnostics: inout Diagnostics) {
        let id = override.id.text ?? ""
        if id == "runtime" {
            runtime = runtime.setting(override.path[...], to: override.value)
            return
        }
        for list in [\PipelineFile.sources, \.stages, \.sinks] {
            guard let index = self[keyPath: list].firstIndex(where: { $0.id == id }) else {
                continue
            }
            self[keyPath: list][index].node.apply(override)
            return
        }
        let ids = (sources + stages + sinks).map(\.id) + ["runtime"]
        diagnostics.error(
            at: override.id.location,
            "unknown component '\(id)'; expected one of \(ids.joined(separator: ", "))",
            help: Suggestion.help(for: id, among: ids)
        )
    }

    /// Keeps only the wanted stages; `nil` keeps all.
    mutating func keepStages(_ wanted: [Located<String>]?, into diagnostics: inout Diagnostics) {
        guard let wanted else { return }
        let ids = stages.map(\.id)
        for name in wanted where !ids.contains(name.value) {
            diagnostics.error(
                at: name.location,
                "unknown stage '\(name.value)'; expected one of \(ids.joined(separator: ", "))",
                help: Suggestion.help(for: name.value, among: ids)
            )
        }
        let names = Set(wanted.map(\.value))
        stages.removeAll { !names.contains($0.id) }
    }

    private static func checkVersion(_ node: ConfigNode, into diagnostics: inout Diagnostics) {
        if node.text == "1" { return }
        diagnostics.error(
            at: node.location,
            "unknown version of the file; found \(node.found), expected 1"
        )
    }

    private static func require(
        _ root: ConfigNode,
        _ key: String,
        into diagnostics: inout Diagnostics
    ) {
        guard let node = root[key] else {
            diagnostics.error(
                at: root.location,
                "'\(key)' is missing; expected a list of at least one"
            )
            return
        }
        // A value that is not a list has been reported already.
        guard node.isNull || node.elements?.isEmpty == true else { return }
        diagnostics.error(at: node.location, "'\(key)' is empty; expected at least one")
    }

    /// The readers for each kind of component.
    private static func readers(
        _ registry: PluginRegistry
    ) -> (source: ComponentReader, stage: ComponentReader, sink: ComponentReader) {
        (
            ComponentReader(
                kind: "source",
                plugins: registry.sources.map(\.description.name),
                commonKeys: CommonKeys.source(isLive: true).names
            ),
            ComponentReader(
                kind: "stage",
                plugins: registry.stages.map(\.description.name),
                commonKeys: CommonKeys.stage(hasWireHooks: true).names
            ),
            ComponentReader(
                kind: "sink",
                plugins: registry.sinks.map(\.description.name),
                commonKeys: CommonKeys.sink.names
            )
        )
    }

    private static func components(
        _ node: ConfigNode?,
        _ reader: ComponentReader,
        _ ids: inout IDs,
        _ diagnostics: inout Diagnostics
    ) -> [Component] {
        guard let node, !node.isNull else { return [] }
        guard let elements = node.elements else {
            diagnostics.error(
                at: node.location,
                "wrong type of value; found \(node.found), expected a list of \(reader.kind)s",
                help: "begin each \(reader.kind) with '- '"
            )
            return []
        }
        return elements.compactMap { element in
            reader.read(element, into: &diagnostics).map { component in
                Component(id: ids.take(component, into: &diagnostics), node: component)
            }
        }
    }
}

/// Gives each component an id: its own, or the plugin's name, numbered from the second one on.
private struct IDs {
    private var taken: [String: SourceLocation] = [:]

    mutating func take(_ component: ComponentNode, into diagnostics: inout Diagnostics) -> String {
        if let node = component.common["id"], let id = node.text {
            if let other = taken[id] {
                diagnostics.error(
                    at: node.location,
                    "two components have the id '\(id)'; the other is "
                        + (other.source.hasLines ? "in line \(other.line)" : "\(other)")
                )
            }
            if id == "runtime" || id.isEmpty || !id.utf8.allSatisfy(IDs.isAllowed) {
                diagnostics.error(
                    at: node.location,
                    "wrong id '\(id)'; expected letters, digits, '-' and '_', and not 'runtime'"
                )
            }
            taken[id] = node.location
            return id
        }
        let id = TopologyBuilder.defaultID(of: component.plugin) { taken[$0] != nil }
        taken[id] = component.location
        return id
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension TopologyBuilder {
    /// The default id of a component: its plugin's name, numbered from the second one on.
    package static func defaultID(of plugin: String, isTaken: (String) -> Bool) -> String {
        var id = plugin
        var number = 2
        while isTaken(id) {
            id = "\(plugin)-\(number)"
            number += 1
        }
        return id
    }
}

extension ComponentNode {
    /// Replaces an option of the component or a key beside its plugin.
    mutating func apply(_ override: OptionAssignment) {
        // The component's id cannot be overridden: `--set replay.id=new` sets the plugin's option
        // `id`.
        let name = override.path.first?.text ?? ""
        if name != "id", CommonKeys.all.contains(name) {
            common = common.setting(override.path[...], to: override.value)
        } else {
            options = options.setting(override.path[...], to: override.value)
        }
    }
}
