// SPDX-License-Identifier: MIT

package import TaplineConfig
package import TaplinePlugin

/// The JSON Schema of a configuration file, generated from the declarations that also decode it.
package enum PipelineSchema {
    /// The keys that are written beside a plugin's key; no option may use their names.
    package static var commonKeys: Set<String> { CommonKeys.all }

    /// Returns the keys that may be written beside a plugin's key.
    package static func keys(
        beside plugin: PluginDescription,
        of registry: PluginRegistry
    )
        -> OptionSchema
    {
        switch plugin.kind {
        case .source:
            let source = registry.sources.first { $0.description.name == plugin.name }
            return CommonKeys.source(isLive: source?.isLive ?? false)
        case .stage:
            let stage = registry.stages.first { $0.description.name == plugin.name }
            return CommonKeys.stage(hasWireHooks: stage?.hasWireHooks ?? false)
        case .sink: return CommonKeys.sink
        }
    }

    /// Returns a JSON Schema (draft 2020-12) for files that use the plugins of a registry.
    package static func schema(of registry: PluginRegistry) -> JSONSchemaNode {
        let sources = registry.sources.map {
            component($0.description, CommonKeys.source(isLive: $0.isLive))
        }
        let stages = registry.stages.map {
            component($0.description, CommonKeys.stage(hasWireHooks: $0.hasWireHooks))
        }
        let sinks = registry.sinks.map { component($0.description, CommonKeys.sink) }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Tapline pipeline",
            "type": "object",
            "required": ["version", "sources", "sinks"],
            "additionalProperties": false,
            "properties": [
                "version": ["const": 1, "description": "The version of this format."],
                "sources": list("The sources of exchanges.", sources, isRequired: true),
                "stages": list("The stages, in running order.", stages, isRequired: false),
                "sinks": list("The sinks, which store or show exchanges.", sinks, isRequired: true),
                "runtime": RuntimeKeys.schema.jsonSchema().adding([
                    ("description", "Limits of the whole pipeline.")
                ]),
            ],
        ]
    }

    private static func list(
        _ summary: JSONSchemaNode,
        _ components: [JSONSchemaNode],
        isRequired: Bool
    ) -> JSONSchemaNode {
        let items: JSONSchemaNode = ["oneOf": .array(components)]
        return isRequired
            ? ["type": "array", "description": summary, "minItems": 1, "items": items]
            : ["type": ["array", "null"], "description": summary, "items": items]
    }

    /// The schema of a plugin: its bare name if no option is required, or a mapping with its key.
    private static func component(
        _ plugin: PluginDescription,
        _ common: OptionSchema
    ) -> JSONSchemaNode {
        let name = JSONSchemaNode.string(plugin.name)
        let summary = JSONSchemaNode.string(plugin.summary)
        let needsOptions = plugin.options.keys.contains { $0.isRequired }
        let own = plugin.options.jsonSchema()
        let options: JSONSchemaNode = needsOptions ? own : ["anyOf": [own, ["type": "null"]]]
        var properties: [(String, JSONSchemaNode)] = [
            (plugin.name, options.adding([("description", summary)]))
        ]
        if case .object(let pairs)? = common.jsonSchema()["properties"] { properties += pairs }
        let mapping: JSONSchemaNode = [
            "type": "object",
            "required": [name],
            "properties": .object(properties),
            "additionalProperties": false,
        ]
        if needsOptions { return mapping }
        return ["anyOf": [["const": name, "description": summary], mapping]]
    }

    /// Markdown tables of the options that belong to no plugin: those of every component, live
    /// sources, stages with wire hooks, sinks, and the runtime.
    package static var tables: [(title: String, text: String)] {
        [
            ("every component", OptionSchema(CommonKeys.id, CommonKeys.when).table()),
            ("sources", OptionSchema(CommonKeys.sample).table()),
            ("live sources", OptionSchema(CommonKeys.captureMaxBytes).table()),
            (
                "stages with wire hooks",
                OptionSchema(CommonKeys.onError, CommonKeys.buffer, CommonKeys.maxBuffer).table()
            ),
            ("sinks", OptionSchema(QueueKeys.queue, RetryKeys.retry).table()),
            ("runtime", RuntimeKeys.schema.table()),
        ]
    }
}
