// SPDX-License-Identifier: MIT

public import Foundation
internal import TaplineBuiltIns
internal import TaplineConfig
public import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem
internal import URLProtocolSource

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Tap {
    /// Creates a tap from components; it also keeps captured exchanges in memory.
    ///
    /// ```swift
    /// let tap = Tap {
    ///     Component.redact(json: ["password"])
    ///     Component.ndjson("traffic.ndjson").when("status >= 400")
    /// }
    /// ```
    /// - Parameters:
    ///   - limits: The limits of the store in memory.
    ///   - maxBodySize: The most bytes of a body that are stored.
    ///   - capturesShared: Whether `URLSession.shared` is captured as well as tapped sessions.
    ///   - plugins: Plugins in addition to the built-in ones, such as those of `TaplineDetectors`.
    ///   - log: The log for messages of the tap.
    ///   - components: The source if it needs options, the stages, in the order in which they run,
    ///     and the sinks; by default none.
    public convenience init(
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        maxBodySize: Int = 1 << 20,
        capturesShared: Bool = false,
        plugins: PluginRegistry = PluginRegistry(),
        log: Log = .none,
        @ComponentBuilder components: () -> [Component] = { [] }
    ) {
        let settings = CaptureSettings(maxBodySize: maxBodySize, capturesShared: capturesShared)
        self.init(limits, log: log, makePlan: Tap.maker(of: components(), settings, plugins))
    }

    /// Creates a tap from a YAML file; it also keeps captured exchanges in memory.
    ///
    /// - Parameters:
    ///   - configuration: The file.
    ///   - plugins: Plugins in addition to the built-in ones.
    ///   - limits: The limits of the store in memory.
    ///   - log: The log for messages of the tap.
    public convenience init(
        configuration: URL,
        plugins: PluginRegistry = PluginRegistry(),
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        log: Log = .none
    ) {
        self.init(limits, log: log, makePlan: Tap.maker(of: configuration, plugins))
    }
}

// MARK: - Plans

extension Tap {
    /// Returns what builds a plan of components.
    static func maker(
        of components: [Component],
        _ settings: CaptureSettings,
        _ plugins: PluginRegistry
    ) -> PlanMaker {
        { memory in
            // A file needs a sink, which may be the store alone.
            let all = components + [.sink(memory.id, memory.factory)]
            let composition = Composition(
                components: all,
                maxBodySize: settings.maxBodySize,
                capturesShared: settings.capturesShared
            )
            var plan = try Tap.plan(plugins.adding(all.plugins), components.origins) {
                composition.node(into: &$0)
            }
            if let last = plan.topology.sinks.indices.last,
                plan.topology.sinks[last].id == memory.id
            {
                plan.topology.sinks[last] = memory
            }
            return plan
        }
    }

    /// Returns what reads a YAML file and builds a plan of it.
    static func maker(of configuration: URL, _ plugins: PluginRegistry) -> PlanMaker {
        let path = configuration.isFileURL ? configuration.path : configuration.absoluteString
        return { memory in
            guard configuration.isFileURL else {
                throw TapError.configuration("\(path): error: expected the URL of a file")
            }
            var bytes: [UInt8] = []
            do throws(FileError) {
                let file = try File(path, for: .read)
                while try file.read(appendingTo: &bytes, atMost: 1 << 16) > 0 {}
            } catch {
                // A relative path starts at the folder in which the app was started.
                let words = "the file cannot be read: \(error.reason)"
                throw TapError.configuration("\(FileSystem.absolute(path)): error: \(words)")
            }
            let folder = FileSystem.folder(of: path)
            let source = ConfigSource(name: path, bytes: bytes, folder: folder)
            var plan = try Tap.plan(plugins, [:]) { ConfigReader().read(source, into: &$0) }
            plan.topology.sinks.append(memory)
            return plan
        }
    }

    private static func plan(
        _ plugins: PluginRegistry,
        _ origins: [String: any AnyObject & Sendable],
        _ read: (inout Diagnostics) -> ConfigNode?
    ) throws -> TapPlan {
        try build(plugins) { builder, diagnostics in
            var builder = builder
            builder.origins = origins
            guard let root = read(&diagnostics),
                let topology = builder.build(root, into: &diagnostics)
            else { return nil }
            guard var plan = TapPlan(topology) else {
                diagnostics.error(
                    at: root["sources"]?.location,
                    "the pipeline of an app has exactly one source; expected 'url_protocol'",
                    help: "write 'sources: [url_protocol]'; 'tapline run' runs other sources"
                )
                return nil
            }
            plan.warnings = diagnostics.sorted.filter { $0.severity == .warning }.map(\.line)
            return plan
        }
    }

    static func build<Built>(
        _ plugins: PluginRegistry,
        _ make: (TopologyBuilder, inout Diagnostics) -> Built?
    ) throws -> Built {
        var diagnostics = Diagnostics()
        var builder = TopologyBuilder(
            registry: PluginRegistry.builtIn.adding(plugins),
            environment: Environment(ProcessEnvironment.variables)
        )
        builder.purpose = .app
        guard let built = make(builder, &diagnostics) else {
            throw TapError.configuration(diagnostics.rendered)
        }
        return built
    }
}

extension Diagnostic {
    /// The whole diagnostic on one line of a log.
    fileprivate var line: String {
        (location.map { "\($0): " } ?? "") + message + (help.map { "; \($0)" } ?? "")
    }
}

extension URLSessionConfiguration {
    /// Returns a copy of this configuration for a session whose requests a tap captures while it
    /// runs, now or later.
    ///
    /// The configuration's own protocol classes answer the same requests as before, after the tap's
    /// class.
    ///
    /// - Parameter tap: The tap; by default the tap of the whole app or, within a recorded test,
    ///   that of the test.
    /// - Returns: The copy.
    public func tapped(by tap: Tap? = nil) -> URLSessionConfiguration {
        guard let copy = copy() as? URLSessionConfiguration else { return self }
        let capturing = (tap ?? Tap.current)?.protocolClass ?? CapturingProtocol.self
        FoundationProtocol.note(copy)
        copy.protocolClasses = [capturing] + (copy.protocolClasses ?? [])
        return copy
    }
}
