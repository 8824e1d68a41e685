// SPDX-License-Identifier: MIT

public import Foundation
internal import TaplineBuiltIns
internal import TaplineConfig
internal import TaplineFiles
public import TaplinePlugin
internal import TaplineRuntime
internal import URLProtocolSource

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Tap {
    /// A tap that is put together in code; what it captures is kept in memory beside its sinks.
    ///
    /// ```swift
    /// let tap = Tap {
    ///     Component.redact(json: ["password"])
    ///     Component.ndjson("traffic.ndjson").when("status >= 400")
    /// }
    /// ```
    /// - Parameters:
    ///   - limits: How much is kept in memory.
    ///   - maxBodySize: The most bytes that are kept of a body.
    ///   - capturesShared: Whether `URLSession.shared` is captured, too, not only tapped sessions.
    ///   - plugins: What `TaplineDetectors` and others bring beside the built-in plugins.
    ///   - log: Where it logs.
    ///   - components: The source, where more is to be said of it, the stages, in the order in which they
    ///     run, and the sinks; none where they are left out.
    public convenience init(
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        maxBodySize: Int = 1 << 20,
        capturesShared: Bool = false,
        plugins: PluginRegistry = PluginRegistry(),
        log: Log = .none,
        @ComponentBuilder components: () -> [Component] = { [] }
    ) {
        let components = components()
        self.init(limits, log: log) { memory in
            // A file needs a sink, which the store may be alone.
            let all = components + [.sink(memory.id, memory.factory)]
            let composition = Composition(
                components: all,
                maxBodySize: maxBodySize,
                capturesShared: capturesShared
            )
            return try Tap.plan(plugins.adding(all.plugins)) { composition.node(into: &$0) }
        }
    }

    /// A tap as a YAML file describes it; what it captures is kept in memory beside the sinks of the
    /// file.
    ///
    /// - Parameters:
    ///   - configuration: The file.
    ///   - plugins: Plugins beside the built-in ones.
    ///   - limits: How much is kept in memory.
    ///   - log: Where it logs.
    public convenience init(
        configuration: URL,
        plugins: PluginRegistry = PluginRegistry(),
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        log: Log = .none
    ) {
        let path = configuration.isFileURL ? configuration.path : configuration.absoluteString
        self.init(limits, log: log) { memory in
            guard configuration.isFileURL else {
                throw TapError.configuration("\(path): error: expected the URL of a file")
            }
            var bytes: [UInt8] = []
            do throws(FileError) {
                let file = try File(path, for: .read)
                while try file.read(appendingTo: &bytes, atMost: 1 << 16) > 0 {}
            } catch {
                // A path that is not absolute counts from where the app was started.
                let words = "the file cannot be read: \(error.reason)"
                throw TapError.configuration("\(FileSystem.absolute(path)): error: \(words)")
            }
            let folder = FileSystem.folder(of: path)
            let source = ConfigSource(name: path, bytes: bytes, folder: folder)
            var plan = try Tap.plan(plugins) { ConfigReader().read(source, into: &$0) }
            plan.topology.sinks.append(memory)
            return plan
        }
    }

    private static func plan(
        _ plugins: PluginRegistry,
        _ read: (inout Diagnostics) -> ConfigNode?
    ) throws -> TapPlan {
        try build(plugins) { builder, diagnostics in
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
        let builder = TopologyBuilder(
            registry: PluginRegistry.builtIn.adding(plugins),
            environment: Environment(ProcessEnvironment.variables)
        )
        guard let built = make(builder, &diagnostics) else {
            throw TapError.configuration(diagnostics.rendered)
        }
        return built
    }
}

extension Diagnostic {
    /// All that it says, in a line of a log.
    fileprivate var line: String {
        (location.map { "\($0): " } ?? "") + message + (help.map { "; \($0)" } ?? "")
    }
}

extension URLSessionConfiguration {
    /// This configuration for a session whose requests a tap captures while it runs, now or later;
    /// its own protocol classes answer what they answered before, after that of the tap.
    ///
    /// - Parameter tap: What captures; the tap of the whole app where it is left out, within a
    ///   recorded test that of the test.
    /// - Returns: A copy.
    public func tapped(by tap: Tap? = nil) -> URLSessionConfiguration {
        guard let copy = copy() as? URLSessionConfiguration else { return self }
        let capturing = (tap ?? Tap.lent)?.protocolClass ?? CapturingProtocol.self
        FoundationProtocol.note(copy)
        copy.protocolClasses = [capturing] + (copy.protocolClasses ?? [])
        return copy
    }
}
