// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// The pipeline of `tapline doctor FILE`: what is built from it, and the file itself.
struct DoctorPipeline: Sendable {
    /// The path of the file; `-` for standard input.
    let path: String
    let topology: Topology
    private let root: ConfigNode
    private let builder: TopologyBuilder
    private let overrides: [OptionAssignment]

    /// The options of sources that matter here; only their names have to fit.
    private static let maxConnections = ConfigKey(
        "max_connections",
        .integer(in: 1...1_000_000),
        default: 10_000,
        summary: "The maximum number of connected clients."
    )
    /// Patterns of hosts are a list, which has no value here.
    private static let intercept = ConfigKey(
        "intercept",
        OptionType<String>.text,
        default: "false",
        summary: "The hosts whose HTTPS is read."
    )
    private static let authority = ConfigKey(
        "ca",
        OptionType<String>.path.optional,
        default: nil,
        summary: "The folder of the certificate authority."
    )

    /// Reads the file as `tapline check` does; reports its problems, and returns `nil` if it has
    /// errors.
    init?(_ path: String, _ invocation: Invocation) {
        let read = Mutex<(root: ConfigNode, builder: TopologyBuilder)?>(nil)
        var loader = PipelineLoader(
            invocation: invocation,
            input: .file(path),
            adjusting: { builder, root, _ in
                read.withLock { $0 = (root, builder) }
                return []
            }
        )
        guard let topology = loader.load(), let (root, builder) = read.withLock({ $0 }) else {
            return nil
        }
        self.path = path
        self.topology = topology
        self.root = root
        self.builder = builder
        // Wrong ones have been reported above.
        var ignored = Diagnostics()
        overrides = invocation.values("set").compactMap { OptionAssignment($0, into: &ignored) }
    }

    /// The most clients of all sources with `max_connections`; `nil` if there is none.
    func maxConnections(_ invocation: Invocation) -> Int? {
        let counts = topology.sources.compactMap { source -> Int? in
            let plugin = topology.plugins[source.id]
            let known = invocation.registry.sources.first { $0.description.name == plugin }
            guard known?.description.options["max_connections"] != nil else { return nil }
            return builder.value(
                of: Self.maxConnections,
                ofSource: source.id,
                in: root,
                overrides: overrides
            )
        }
        return counts.isEmpty ? nil : counts.reduce(0) { $0 &+ $1 }
    }

    /// The folders of the authorities of sources that read HTTPS, without duplicates; `nil` is the
    /// user's own.
    func authorityFolders(_ invocation: Invocation) -> [String?] {
        var folders: [String?] = []
        for source in topology.sources {
            let plugin = topology.plugins[source.id]
            let known = invocation.registry.sources.first { $0.description.name == plugin }
            guard known?.certificates != nil else { continue }
            let hosts = builder.value(
                of: Self.intercept,
                ofSource: source.id,
                in: root,
                overrides: overrides
            )
            guard hosts != "false" else { continue }
            let folder = builder.value(
                of: Self.authority,
                ofSource: source.id,
                in: root,
                overrides: overrides
            )
            let found = folder.flatMap { $0 }
            if !folders.contains(found) { folders.append(found) }
        }
        return folders
    }

    /// The keys of the file whose names are those of secrets and whose values are written there.
    var literalSecrets: [String] { DoctorSecrets.literals(in: root) }

    /// The facts of the file itself.
    func facts(_ invocation: Invocation) -> DoctorFacts.Pipeline {
        let status = path == "-" ? nil : try? FileSystem.status(of: path)
        return DoctorFacts.Pipeline(
            path: path,
            permissions: status?.kind == .regular ? status?.permissions : nil,
            literalSecrets: literalSecrets,
            maxConnections: maxConnections(invocation),
            memory: topology.memory
        )
    }
}

/// Finds secrets that a file holds itself.
enum DoctorSecrets {
    /// Names of secrets besides those of `SecretNames`.
    private static let headers: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// Returns the names of keys with the name of a secret and a text without a variable.
    static func literals(in node: ConfigNode) -> [String] {
        if let elements = node.elements { return elements.flatMap { literals(in: $0) } }
        return (node.pairs ?? []).flatMap { pair -> [String] in
            guard let name = pair.key.text, let text = pair.value.text else {
                return literals(in: pair.value)
            }
            // 'key' alone is what correlates or groups, such as 'key: host'.
            let isSecret =
                (SecretNames.contains(name) && name != "key")
                || headers.contains(name.lowercased())
            let isLiteral =
                !text.isEmpty && !text.contains("${") && text != "true" && text != "false"
            return isSecret && isLiteral ? [name] : []
        }
    }
}
