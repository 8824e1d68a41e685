// SPDX-License-Identifier: MIT

public import TaplineConfig

/// What is said of a plugin of any kind.
public struct PluginDescription: Sendable {
    /// The kinds of plugin.
    public enum Kind: String, Sendable, CaseIterable {
        /// Captures exchanges.
        case source
        /// Changes, cleans, cuts or drops them.
        case stage
        /// Stores or shows them.
        case sink
    }

    /// Its kind.
    public let kind: Kind
    /// The word in the configuration: a noun for a source or a sink, a verb for a stage.
    public let name: String
    /// One sentence on what it does.
    public let summary: String
    /// Its options.
    public let options: OptionSchema

    init(_ kind: Kind, _ name: String, _ summary: String, _ options: OptionSchema) {
        self.kind = kind
        self.name = name
        self.summary = summary
        self.options = options
    }
}

/// A kind of source.
public struct SourcePlugin: Sendable {
    /// What it is.
    public let description: PluginDescription
    /// Whether it captures live traffic, so that the options of live sources apply.
    public let isLive: Bool
    /// What can be done with its certificate authority, where it has one.
    public let certificates: CertificateTools?
    package let build: @Sendable (Options, inout BuildContext) -> (any Source)?

    /// A kind of source.
    ///
    /// The closure makes the component of valid options, or says in the context's diagnostics why
    /// that is not possible and returns nothing.
    public init(
        name: String,
        summary: String,
        options: OptionSchema,
        isLive: Bool = false,
        certificates: CertificateTools? = nil,
        build: @escaping @Sendable (Options, inout BuildContext) -> (any Source)?
    ) {
        description = PluginDescription(.source, name, summary, options)
        self.isLive = isLive
        self.certificates = certificates
        self.build = build
    }
}

/// A kind of stage.
public struct StagePlugin: Sendable {
    /// What it is.
    public let description: PluginDescription
    /// Whether its stages can have wire hooks, so that `on_error` and `buffer` apply.
    public let hasWireHooks: Bool
    /// What helps those who write its scripts, where it has scripts.
    public let scripts: ScriptTools?
    package let build: @Sendable (Options, inout BuildContext) -> (any StageFactory)?

    /// A kind of stage.
    ///
    /// The closure makes the component of valid options, or says in the context's diagnostics why
    /// that is not possible and returns nothing.
    public init(
        name: String,
        summary: String,
        options: OptionSchema,
        hasWireHooks: Bool = false,
        scripts: ScriptTools? = nil,
        build: @escaping @Sendable (Options, inout BuildContext) -> (any StageFactory)?
    ) {
        description = PluginDescription(.stage, name, summary, options)
        self.hasWireHooks = hasWireHooks
        self.scripts = scripts
        self.build = build
    }
}

/// A kind of sink.
public struct SinkPlugin: Sendable {
    /// What it is.
    public let description: PluginDescription
    package let build: @Sendable (Options, inout BuildContext) -> (any SinkFactory)?

    /// A kind of sink.
    ///
    /// The closure makes the component of valid options, or says in the context's diagnostics why
    /// that is not possible and returns nothing.
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

/// The plugins that a configuration may name: a value, put together in one visible list.
public struct PluginRegistry: Sendable {
    /// The sources, in the order in which they are shown.
    public var sources: [SourcePlugin]
    /// The stages, in the order in which they are shown.
    public var stages: [StagePlugin]
    /// The sinks, in the order in which they are shown.
    public var sinks: [SinkPlugin]
    /// The secret detectors that stages may use, where the program is built with them.
    public var detectors: (any DetectorLibrary)?
    /// Who gets the values that stages take out.
    package var secretListener: (any SecretListener)?

    /// A registry of these plugins.
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
    public var all: [PluginDescription] {
        sources.map(\.description) + stages.map(\.description) + sinks.map(\.description)
    }

    /// This registry and another; where both have a plugin of one kind and name, the other's counts.
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
        return registry
    }
}
