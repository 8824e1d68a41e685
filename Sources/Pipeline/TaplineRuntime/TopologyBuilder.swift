// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineModel
internal import TaplineOperations
package import TaplinePlugin
internal import TaplineQuery
package import TaplineSystem

/// Builds a pipeline from a configuration file: shape, graph, components.
///
/// All problems of a phase are reported together. Components with valid options are built even if
/// others are invalid, so that one run reports the problems of all. The graph is checked when all
/// components are built. Building opens no file or socket and creates none.
package struct TopologyBuilder: Sendable {
    /// Who runs a pipeline after it is built.
    package enum Purpose: Sendable {
        /// Nobody: the file is checked.
        case check
        /// The commands `tapline run` and `tapline exec`.
        case run
        /// The command `tapline exec --all`, in whose namespace the clients of a proxy run.
        case namespace
        /// A Swift app.
        case app
    }

    let registry: PluginRegistry
    let environment: Environment
    /// Who runs the pipeline.
    package var purpose = Purpose.check
    /// The objects by which components made in code are told apart, by the names of their plugins.
    package var origins: [String: any AnyObject & Sendable] = [:]
    /// The paths that no component of the file may expose.
    private var protectedPaths: [String] = []
    private var recordPaths: [String] = []

    /// Creates a builder for a registry's plugins and an environment.
    package init(registry: PluginRegistry, environment: Environment = Environment()) {
        self.registry = registry
        self.environment = environment
    }

    /// Builds a topology, or adds the reasons for the failure to the diagnostics.
    ///
    /// If the file itself came from standard input, no component may read from it.
    package func build(
        _ root: ConfigNode,
        overrides: [OptionAssignment] = [],
        standardInputIsTaken: Bool = false,
        into diagnostics: inout Diagnostics
    ) -> Topology? {
        guard var file = PipelineFile(root, registry, into: &diagnostics) else { return nil }
        for override in overrides { file.apply(override, into: &diagnostics) }
        let shape = decode(file, into: &diagnostics)
        let topology = protecting(file).build(shape, into: &diagnostics)
        guard let topology, !diagnostics.hasErrors else { return nil }
        GraphCheck(
            topology: topology,
            shape: shape,
            purpose: purpose,
            standardInputIsTaken: standardInputIsTaken
        ).run(into: &diagnostics)
        return diagnostics.hasErrors ? nil : topology
    }
}

// MARK: - Sources of a plugin

extension TopologyBuilder {
    /// Returns the ids of a plugin's sources, in the order of the file; errors are reported when
    /// the file is built.
    package func sources(of plugin: String, in root: ConfigNode) -> [String] {
        var ignored = Diagnostics()
        let file = PipelineFile(root, registry, into: &ignored)
        return (file?.sources ?? []).filter { $0.node.plugin == plugin }.map(\.id)
    }

    /// Returns whether the file sets an option of the source with this id.
    package func isSet(_ option: String, ofSource id: String, in root: ConfigNode) -> Bool {
        var ignored = Diagnostics()
        let file = PipelineFile(root, registry, into: &ignored)
        return file?.sources.first { $0.id == id }?.node.options[option] != nil
    }

    /// Returns the value of an option of the source with this id; `nil` if there is no such source,
    /// or if the value is wrong, which is reported when the file is built.
    package func value<Value>(
        of key: ConfigKey<Value>,
        ofSource id: String,
        in root: ConfigNode,
        overrides: [OptionAssignment] = []
    ) -> Value? {
        var ignored = Diagnostics()
        guard var file = PipelineFile(root, registry, into: &ignored) else { return nil }
        for override in overrides { file.apply(override, into: &ignored) }
        guard let options = file.sources.first(where: { $0.id == id })?.node.options else {
            return nil
        }
        let pairs = options.pair(key.name).map { [$0] } ?? []
        return OptionSchema(key).decode(
            ConfigNode(.mapping(pairs), at: options.location),
            owner: "",
            into: &ignored,
            environment: environment
        )?[key]
    }
}

// MARK: - Stages without sources and sinks

extension TopologyBuilder {
    /// Builds only the stages of a file, or only some of them, in the order of the file.
    ///
    /// Sources and sinks must be declared with known plugins, but their options are ignored. So a
    /// file can be tried on a machine that lacks its recordings and databases.
    ///
    /// - Parameters:
    ///   - root: The file.
    ///   - wanted: The ids of the stages; `nil` for all.
    ///   - overrides: Options to set.
    ///   - diagnostics: Receives the problems.
    /// - Returns: The stages, which of their wire hooks see whole bodies, and whether exchanges keep
    ///   what stages do to them; `nil` if a stage could not be built.
    package func stages(
        _ root: ConfigNode,
        only wanted: [Located<String>]? = nil,
        overrides: [OptionAssignment] = [],
        into diagnostics: inout Diagnostics
    ) -> (stages: [Topology.Stage], wholeBodies: Hooks, recordsProvenance: Bool)? {
        guard var file = PipelineFile(root, registry, into: &diagnostics) else { return nil }
        for override in overrides { file.apply(override, into: &diagnostics) }
        file.keepStages(wanted, into: &diagnostics)
        let shapes = file.stages.map { decodeStage($0, into: &diagnostics) }
        let builder = protecting(file)
        let built = shapes.compactMap(\.self).map {
            ($0, builder.buildStage($0, isForApp: false, into: &diagnostics))
        }
        guard !diagnostics.hasErrors else { return nil }
        let stages = built.compactMap(\.1)
        GraphCheck.checkConditions(Array(zip(built.map(\.0), stages)), into: &diagnostics)
        let wholeBodies = wholeBodies(file.sources, stages)
        return diagnostics.hasErrors ? nil : (stages, wholeBodies, recordsProvenance(file))
    }

    /// Whether a file records provenance; wrong options of its runtime are ignored.
    private func recordsProvenance(_ file: PipelineFile) -> Bool {
        var ignored = Diagnostics()
        let runtime = RuntimeKeys.schema.decode(
            file.runtime,
            owner: "runtime",
            places: PipelinePlaces.file,
            into: &ignored,
            environment: environment
        )
        return runtime?[RuntimeKeys.provenance] ?? false
    }

    /// Recordings hold whole bodies; for live traffic, hooks see those that a stage buffers.
    private func wholeBodies(
        _ sources: [PipelineFile.Component],
        _ stages: [Topology.Stage]
    ) -> Hooks {
        let isLive = sources.contains { source in
            registry.sources.contains { $0.description.name == source.node.plugin && $0.isLive }
        }
        guard isLive else { return .wire }
        return stages.reduce(into: []) {
            $0.formUnion($1.buffer.hooks.union($1.factory.hooksThatReadBodies))
        }
    }
}

/// A component whose options are valid.
struct ComponentShape {
    let id: String
    let plugin: String
    let location: SourceLocation
    let options: Options
    let common: Options
    /// The options and common keys in a canonical form.
    var declaration = ""
    /// The object that a component made in code has in common only with itself.
    var origin: (any AnyObject & Sendable)?

    var when: Filter? { common[CommonKeys.when] }

    /// The share of a source's exchanges that is recorded; `nil` for all.
    var sampling: Sampling? {
        let sampling = Sampling(millionths: common[CommonKeys.sample])
        return sampling == .all ? nil : sampling
    }

    /// The bodies that the wire hooks of a stage see in full.
    var buffer: BodyBuffer {
        var hooks: Hooks = []
        for body in common[CommonKeys.buffer] {
            hooks.insert(body == "request" ? .request : .response)
        }
        return BodyBuffer(hooks, maxBytes: common[CommonKeys.maxBuffer])
    }
}

/// The components of a file whose options are valid.
struct PipelineShape {
    var sources: [ComponentShape] = []
    var stages: [ComponentShape] = []
    var sinks: [ComponentShape] = []
    /// `nil` if the options are invalid.
    let runtime: Options?
}

// MARK: - Shape

extension TopologyBuilder {
    /// Decodes the options of all components.
    private func decode(
        _ file: PipelineFile,
        into diagnostics: inout Diagnostics
    ) -> PipelineShape {
        let runtime = RuntimeKeys.schema.decode(
            file.runtime,
            owner: "runtime",
            places: PipelinePlaces.file,
            into: &diagnostics,
            environment: environment
        )
        let sources = file.sources.map { component in
            let plugin = registry.sources.first { $0.description.name == component.node.plugin }
            return decode(
                component,
                plugin?.description,
                CommonKeys.source(isLive: plugin?.isLive ?? false),
                into: &diagnostics
            )
        }
        let stages = file.stages.map { decodeStage($0, into: &diagnostics) }
        let sinks = file.sinks.map { component in
            let plugin = registry.sinks.first { $0.description.name == component.node.plugin }
            return decode(component, plugin?.description, CommonKeys.sink, into: &diagnostics)
        }
        var shape = PipelineShape(runtime: runtime)
        shape.sources = sources.compactMap(\.self)
        shape.stages = stages.compactMap(\.self)
        shape.sinks = sinks.compactMap(\.self)
        return shape
    }

    private func decodeStage(
        _ component: PipelineFile.Component,
        into diagnostics: inout Diagnostics
    ) -> ComponentShape? {
        let plugin = registry.stages.first { $0.description.name == component.node.plugin }
        return decode(
            component,
            plugin?.description,
            CommonKeys.stage(hasWireHooks: plugin?.hasWireHooks ?? false),
            into: &diagnostics
        )
    }

    private func decode(
        _ component: PipelineFile.Component,
        _ plugin: PluginDescription?,
        _ commonSchema: OptionSchema,
        into diagnostics: inout Diagnostics
    ) -> ComponentShape? {
        let node = component.node
        let places = PipelinePlaces.component(
            node.plugin,
            plugin?.options ?? OptionSchema(),
            commonSchema
        )
        let common = commonSchema.decode(
            node.common,
            owner: node.plugin,
            places: places,
            into: &diagnostics,
            environment: environment
        )
        let options = plugin?.options.decode(
            node.options,
            owner: node.plugin,
            places: places,
            into: &diagnostics,
            environment: environment
        )
        guard let common, let options else { return nil }
        var declaration = ""
        node.options.appendCanonical(to: &declaration)
        node.common.appendCanonical(to: &declaration)
        return ComponentShape(
            id: component.id,
            plugin: node.plugin,
            location: node.location,
            options: options,
            common: common,
            declaration: declaration,
            origin: origins[node.plugin]
        )
    }
}

// MARK: - Build

extension TopologyBuilder {
    /// Returns a builder that protects the key files of a file, and what its queues keep.
    private func protecting(_ file: PipelineFile) -> TopologyBuilder {
        var builder = self
        builder.recordPaths = ProtectedPaths.records(of: file, in: environment)
        builder.protectedPaths = ProtectedPaths.keys(of: file, in: environment)
        builder.protectedPaths += builder.recordPaths
        return builder
    }

    private func build(_ shape: PipelineShape, into diagnostics: inout Diagnostics) -> Topology? {
        let sources = shape.sources.compactMap { source in
            let plugin = registry.sources.first { $0.description.name == source.plugin }
            let built = build(source, into: &diagnostics) { plugin?.build(source.options, &$0) }
            let isLive = plugin?.isLive ?? false
            return built.map {
                var component = Topology.Source(
                    id: source.id,
                    $0,
                    when: source.when,
                    captureMaxBytes: isLive ? source.common[CommonKeys.captureMaxBytes] : 0,
                    sampling: source.sampling,
                    isLive: isLive
                )
                component.identity = source.identity(of: $0)
                return component
            }
        }
        let isForApp = sources.contains { $0.source.isWithinApp }
        let stages = shape.stages.compactMap {
            buildStage($0, isForApp: isForApp, into: &diagnostics)
        }
        let sinks = shape.sinks.compactMap { sink in
            let plugin = registry.sinks.first { $0.description.name == sink.plugin }
            let built = build(sink, into: &diagnostics) { plugin?.build(sink.options, &$0) }
            return built.map {
                var component = Topology.Sink(
                    id: sink.id,
                    $0,
                    when: sink.when,
                    queue: QueueKeys.read(sink.common),
                    retry: RetryKeys.read(sink.common)
                )
                component.identity = sink.identity(of: $0)
                return component
            }
        }
        guard let runtime = shape.runtime else { return nil }
        var topology = Topology(
            sources: sources,
            sinks: sinks,
            memory: runtime[RuntimeKeys.memory],
            drainTimeout: Microseconds(runtime[RuntimeKeys.drainTimeout]),
            spillFolder: spillFolder(runtime[RuntimeKeys.spill], into: &diagnostics),
            recordsProvenance: runtime[RuntimeKeys.provenance]
        )
        topology.stages = stages
        topology.maxExchangesInFlight = runtime[RuntimeKeys.maxExchangesInFlight]
        topology.shedding = SheddingKeys.read(runtime)
        topology.protectedPaths = protectedPaths
        topology.recordPaths = recordPaths
        topology.control = control(runtime[RuntimeKeys.control], into: &diagnostics)
        topology.controlTokenFile = runtime[RuntimeKeys.controlTokenFile]
        topology.isWatched = runtime[RuntimeKeys.watch]
        for component in shape.sources + shape.stages + shape.sinks {
            topology.plugins[component.id] = component.plugin
        }
        return topology
    }

    /// Returns the folder of the spill, which must exist.
    private func spillFolder(
        _ folder: Located<String>?,
        into diagnostics: inout Diagnostics
    ) -> String? {
        guard let folder else { return nil }
        let status = try? FileSystem.status(of: folder.value)
        if status?.kind != .folder {
            diagnostics.error(
                at: folder.location,
                "there is no folder '\(folder.value)' to spill to",
                help: "create the folder, or name another one"
            )
        }
        return folder.value
    }

    /// Returns the address of the control listener, which must be one of loopback.
    private func control(
        _ text: Located<String>?,
        into diagnostics: inout Diagnostics
    ) -> ControlAddress? {
        guard let text else { return nil }
        guard purpose != .app else {
            diagnostics.error(
                at: text.location,
                "'control' needs the product 'TaplineControl', which apps do not link",
                help: "read 'Tapline.metrics' in the app"
            )
            return nil
        }
        let address = ControlAddress(text.value)
        if address == nil {
            diagnostics.error(
                at: text.location,
                "wrong value of 'control'; found '\(text.value)', expected \(ControlAddress.form)",
                help: "only this machine may read metrics; use 'ssh -L' or a proxy with a login"
            )
        }
        return address
    }

    private func buildStage(
        _ stage: ComponentShape,
        isForApp: Bool,
        into diagnostics: inout Diagnostics
    ) -> Topology.Stage? {
        let plugin = registry.stages.first { $0.description.name == stage.plugin }
        let built = build(stage, into: &diagnostics) { context in
            context.isForOtherProgram = isForApp && purpose != .app
            return plugin?.build(stage.options, &context)
        }
        return built.map {
            var component = Topology.Stage(
                id: stage.id,
                $0,
                when: stage.when,
                onError: stage.common[CommonKeys.onError],
                buffer: stage.buffer
            )
            component.identity = stage.identity(of: $0)
            return component
        }
    }

    /// Builds one component.
    ///
    /// If a plugin builds nothing and reports no error, an error is added, so that no component is
    /// silently left out.
    private func build<Component>(
        _ component: ComponentShape,
        into diagnostics: inout Diagnostics,
        _ build: (inout BuildContext) -> Component?
    ) -> Component? {
        var context = BuildContext(
            id: component.id,
            folder: component.location.source.folder,
            environment: environment,
            location: component.location,
            detectors: registry.detectors
        )
        context.secretListener = registry.secretListener
        context.stores = registry.stores
        context.protobufTypes = registry.protobufTypes
        context.protectedPaths = protectedPaths
        context.hasNamespace = purpose == .namespace
        let built = build(&context)
        diagnostics.append(contentsOf: context.diagnostics)
        if built == nil, !context.diagnostics.hasErrors {
            diagnostics.error(at: component.location, "'\(component.plugin)' could not be built")
        }
        return built
    }
}
