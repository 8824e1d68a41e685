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
    /// A tap that keeps what it captures in memory and nowhere else.
    ///
    /// - Parameters:
    ///   - limits: How much is kept.
    ///   - maxBodySize: The most bytes that are kept of a body.
    ///   - capturesShared: Whether `URLSession.shared` is captured, too, not only tapped sessions.
    ///   - log: Where it logs.
    public convenience init(
        limits: MemoryStore.Limits = MemoryStore.Limits(),
        maxBodySize: Int = 1 << 20,
        capturesShared: Bool = false,
        log: Log = .none
    ) {
        self.init(limits, log: log) {
            let source = CaptureSource(capturesShared: capturesShared)
            return Topology(
                sources: [
                    Topology.Source(id: "url_protocol", source, captureMaxBytes: maxBodySize)
                ],
                sinks: []
            )
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
        self.init(limits, log: log) {
            try Tap.topology(of: configuration.path, plugins)
        }
    }

    private static func topology(of path: String, _ plugins: PluginRegistry) throws -> Topology {
        var diagnostics = Diagnostics()
        guard let data = FileManager.default.contents(atPath: path) else {
            throw TapError.configuration("\(path): error: the file cannot be read")
        }
        let source = ConfigSource(
            name: path,
            bytes: Array(data),
            folder: FileSystem.folder(of: path)
        )
        let builder = TopologyBuilder(
            registry: PluginRegistry.builtIn.adding(plugins),
            environment: Environment(ProcessEnvironment.variables)
        )
        let topology = ConfigReader().read(source, into: &diagnostics).flatMap {
            builder.build($0, into: &diagnostics)
        }
        guard let topology else { throw TapError.configuration(diagnostics.rendered) }
        return topology
    }
}

extension URLSessionConfiguration {
    /// This configuration for a session whose requests a tap captures while it runs, now or later;
    /// its own protocol classes stay behind that of the tap.
    ///
    /// - Parameter tap: What captures; the tap of the whole app where it is left out.
    /// - Returns: A copy.
    public func tapped(by tap: Tap? = nil) -> URLSessionConfiguration {
        guard let copy = copy() as? URLSessionConfiguration else { return self }
        let capturing = tap?.protocolClass ?? CapturingProtocol.self
        copy.protocolClasses = [capturing] + (copy.protocolClasses ?? [])
        return copy
    }
}
