// SPDX-License-Identifier: MIT

package import TaplineCertificates
public import TaplineConfig
public import TaplineModel
package import TaplineProtobuf

/// The description of a plugin of any kind.
package struct PluginDescription: Sendable {
    /// The kinds of plugin.
    package enum Kind: String, Sendable, CaseIterable {
        /// Captures exchanges.
        case source
        /// Changes, redacts, trims or drops exchanges.
        case stage
        /// Stores or shows exchanges.
        case sink
    }

    /// The kind of the plugin.
    package let kind: Kind
    /// The name in the configuration: a noun for a source or a sink, a verb for a stage.
    package let name: String
    /// A one-sentence description.
    package let summary: String
    /// Its options.
    package let options: OptionSchema

    init(_ kind: Kind, _ name: String, _ summary: String, _ options: OptionSchema) {
        self.kind = kind
        self.name = name
        self.summary = summary
        self.options = options
    }
}

/// A kind of source.
public struct SourcePlugin: Sendable {
    /// The description of the plugin.
    package let description: PluginDescription
    /// Whether it captures live traffic, so that the options of live sources apply.
    package let isLive: Bool
    /// The operations on the source's certificate authority; `nil` if it has none.
    package var certificates: CertificateTools?
    package let build: @Sendable (Options, inout BuildContext) -> (any Source)?

    /// Creates a kind of source.
    ///
    /// The closure builds the component from valid options. If that fails, it adds the reason to
    /// the context's diagnostics and returns `nil`.
    public init(
        name: String,
        summary: String,
        options: OptionSchema,
        isLive: Bool = false,
        build: @escaping @Sendable (Options, inout BuildContext) -> (any Source)?
    ) {
        description = PluginDescription(.source, name, summary, options)
        self.isLive = isLive
        self.build = build
    }
}

/// A kind of stage.
public struct StagePlugin: Sendable {
    /// The description of the plugin.
    package let description: PluginDescription
    /// Whether its stages can have wire hooks, so that `on_error` and `buffer` apply.
    package let hasWireHooks: Bool
    /// The tools for authors of the stage's scripts; `nil` if it has no scripts.
    package var scripts: ScriptTools?
    package let build: @Sendable (Options, inout BuildContext) -> (any StageFactory)?

    /// Creates a kind of stage.
    ///
    /// The closure builds the component from valid options. If that fails, it adds the reason to
    /// the context's diagnostics and returns `nil`.
    public init(
        name: String,
        summary: String,
        options: OptionSchema,
        hasWireHooks: Bool = false,
        build: @escaping @Sendable (Options, inout BuildContext) -> (any StageFactory)?
    ) {
        description = PluginDescription(.stage, name, summary, options)
        self.hasWireHooks = hasWireHooks
        self.build = build
    }
}

/// A kind of sink.
public struct SinkPlugin: Sendable {
    /// The description of the plugin.
    package let description: PluginDescription
    package let build: @Sendable (Options, inout BuildContext) -> (any SinkFactory)?

    /// Creates a kind of sink.
    ///
    /// The closure builds the component from valid options. If that fails, it adds the reason to
    /// the context's diagnostics and returns `nil`.
    public init(
        name: String,
        summary: String,
        options: OptionSchema,
        build: @escaping @Sendable (Options, inout BuildContext) -> (any SinkFactory)?
    ) {
        description = PluginDescription(.sink, name, summary, options)
        self.build = build
    }
}

/// The plugins that a configuration may name.
public struct PluginRegistry: PluginCollection {
    /// The sources, in display order.
    public var sources: [SourcePlugin]
    /// The stages, in display order.
    public var stages: [StagePlugin]
    /// The sinks, in display order.
    public var sinks: [SinkPlugin]
    /// The secret detectors that stages may use; `nil` if the program is built without them.
    public var detectors: (any DetectorLibrary)?
    /// Receives the values that stages remove.
    package var secretListener: (any SecretListener)?
    /// Reads databases of recorded exchanges; `nil` if the program is built without them.
    package var stores: (any RecordedStores)?
    /// The types of protobuf messages for components whose options name no descriptors.
    package var protobufTypes: ProtobufSchema?

    /// Creates a registry of plugins.
    public init(
        sources: [SourcePlugin] = [],
        stages: [StagePlugin] = [],
        sinks: [SinkPlugin] = [],
        detectors: (any DetectorLibrary)? = nil
    ) {
        self.sources = sources
        self.stages = stages
        self.sinks = sinks
        self.detectors = detectors
    }

    /// All plugins, sources first.
    package var all: [PluginDescription] {
        sources.map(\.description) + stages.map(\.description) + sinks.map(\.description)
    }

    /// Returns the union of two registries; a plugin of the other replaces one of the same kind and
    /// name.
    public func adding(_ other: PluginRegistry) -> PluginRegistry {
        func merged<Plugin>(
            _ mine: [Plugin],
            _ theirs: [Plugin],
            _ name: (Plugin) -> String
        ) -> [Plugin] {
            let names = Set(theirs.map(name))
            return mine.filter { !names.contains(name($0)) } + theirs
        }
        var registry = PluginRegistry(
            sources: merged(sources, other.sources) { $0.description.name },
            stages: merged(stages, other.stages) { $0.description.name },
            sinks: merged(sinks, other.sinks) { $0.description.name },
            detectors: other.detectors ?? detectors
        )
        registry.secretListener = other.secretListener ?? secretListener
        registry.stores = other.stores ?? stores
        registry.protobufTypes = other.protobufTypes ?? protobufTypes
        return registry
    }
}
