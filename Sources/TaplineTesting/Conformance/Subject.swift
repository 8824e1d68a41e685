// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// The plugin under test with what a test says of it, and how a pipeline is built around it.
struct Subject: Sendable {
    /// The plugin.
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

    /// Builds the pipeline that a file with the component describes, the rest of it given.
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

    /// A file in which the component stands among the suite's own.
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

/// What a test may say of a plugin besides its options.
public struct ConformanceSettings: Sendable {
    /// Files that are in the component's folder, by name.
    public var files: [String: String]
    /// The environment that the configuration sees.
    public var environment: [String: String]
    /// Keys beside the plugin's, as lines of YAML: `buffer: [request]`.
    public var beside: String
    /// Options with each of which the component fails while it runs, or does not build.
    ///
    /// It runs with each, and no text may show what was in the traffic.
    public var failing: [String]
    /// Words that no log line and no error may show, besides the planted ones.
    public var secrets: [String]
    /// Checks that do not apply; say why where you use it.
    public var excluding: Set<Violation.Check>
    /// How long a run may take before it counts as hanging.
    public var patience: Duration

    /// Settings; what is left out is empty.
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
