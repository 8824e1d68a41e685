// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// The plugin under test with its settings, and the pipelines that are built around it.
struct Subject: Sendable {
    /// The kind of plugin.
    enum Plugin: Sendable {
        case source(SourcePlugin)
        case stage(StagePlugin)
        case sink(SinkPlugin)
    }

    /// The id of the component in every pipeline of the suite.
    static let id = "subject"

    let plugin: Plugin
    let options: String
    let settings: ConformanceSettings

    var description: PluginDescription {
        switch plugin {
        case .source(let plugin): plugin.description
        case .stage(let plugin): plugin.description
        case .sink(let plugin): plugin.description
        }
    }

    /// Builds a pipeline from a file with the component, with the other components given.
    func build(
        in folder: TestFolder,
        options: String? = nil,
        source: any Source = ScriptedSource([]),
        stages: [any StageFactory] = [],
        sink: any SinkFactory = RecordingSink(),
        set overrides: [String] = [],
        into diagnostics: inout Diagnostics
    ) -> Topology? {
        let text = file(options: options ?? self.options, stages: stages.count)
        let root = ConfigReader().read(
            Array(text.utf8),
            name: "conformance.yaml",
            folder: folder.path,
            into: &diagnostics
        )
        guard let root else { return nil }
        let builder = TopologyBuilder(
            registry: registry(source, stages, sink),
            environment: Environment(settings.environment)
        )
        let overrides = overrides.compactMap { OptionAssignment($0, into: &diagnostics) }
        return builder.build(root, overrides: overrides, into: &diagnostics)
    }

    /// Returns a file that contains the component and the suite's own components.
    private func file(options: String, stages: Int) -> String {
        var own = ["  - \(description.name):"]
        own += options.split(separator: "\n").map { "      \($0)" }
        own.append("    id: \(Subject.id)")
        own += settings.beside.split(separator: "\n").map { "    \($0)" }
        var lines = ["version: 1", "sources:"]
        if case .source = plugin { lines += own } else { lines.append("  - conformance_source") }
        lines.append("stages:")
        lines += (0..<stages).map { "  - conformance_stage_\($0)" }
        if case .stage = plugin { lines += own }
        lines.append("sinks:")
        if case .sink = plugin { lines += own } else { lines.append("  - conformance_sink") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func registry(
        _ source: any Source,
        _ stages: [any StageFactory],
        _ sink: any SinkFactory
    ) -> PluginRegistry {
        let none = OptionSchema()
        var registry = PluginRegistry(
            sources: [
                SourcePlugin(name: "conformance_source", summary: "Scripted.", options: none) {
                    _,
                    _ in source
                }
            ],
            stages: stages.enumerated().map { number, stage in
                StagePlugin(
                    name: "conformance_stage_\(number)",
                    summary: "Scripted.",
                    options: none,
                    hasWireHooks: true
                ) { _, _ in stage }
            },
            sinks: [
                SinkPlugin(name: "conformance_sink", summary: "Recording.", options: none) {
                    _,
                    _ in sink
                }
            ]
        )
        switch plugin {
        case .source(let plugin): registry.sources.append(plugin)
        case .stage(let plugin): registry.stages.append(plugin)
        case .sink(let plugin): registry.sinks.append(plugin)
        }
        return registry
    }
}

/// The settings of a plugin's checks besides its options.
public struct ConformanceSettings: Sendable {
    /// Files in the component's folder, by name.
    public var files: [String: String]
    /// The environment of the configuration.
    public var environment: [String: String]
    /// Keys next to the plugin's, as lines of YAML: `buffer: [request]`.
    public var beside: String
    /// Options that each make the component fail while it runs, or not build.
    ///
    /// The component runs with each of them, and no text may show data from the traffic.
    public var failing: [String]
    /// Words that no log line and no error may show, besides the planted ones.
    public var secrets: [String]
    /// Checks that do not apply; state the reason when you exclude one.
    public var excluding: Set<Violation.Check>
    /// How long a run may take before it counts as blocked.
    public var patience: Duration

    /// Creates settings; by default everything is empty.
    public init(
        files: [String: String] = [:],
        environment: [String: String] = [:],
        beside: String = "",
        failing: [String] = [],
        secrets: [String] = [],
        excluding: Set<Violation.Check> = [],
        patience: Duration = .seconds(60)
    ) {
        self.files = files
        self.environment = environment
        self.beside = beside
        self.failing = failing
        self.secrets = secrets
        self.excluding = excluding
        self.patience = patience
    }
}
