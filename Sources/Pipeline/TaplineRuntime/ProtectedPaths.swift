// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineSystem

/// The paths that no component may expose: key files, the folders of certificate authorities, and
/// what queues and sinks keep of the traffic until it is stored.
///
/// They are found by option name in all components, at any depth, including components whose options
/// are otherwise ignored, such as sources when only stages are built.
enum ProtectedPaths {
    private static let keys = named(["key_file", "client_key", "ca", "control_token_file"])
    /// Files and folders of records, in options of all components.
    private static let records = named(["dead_letters", "disk"])
    /// The option of `s3`; elsewhere, it is the working folder of a program.
    private static let spool = named(["folder"])
    /// How deep options are searched.
    private static let maxDepth = 16

    private typealias Key = ConfigKey<String?>

    private static func named(_ names: [String]) -> [Key] {
        names.map {
            ConfigKey($0, OptionType<String>.path.optional, default: nil, summary: "A path.")
        }
    }

    /// The keys and authorities that a file names, and the folder of the user's own authorities.
    static func keys(of file: PipelineFile, in environment: Environment) -> [String] {
        let components = file.sources + file.stages + file.sinks
        return components.flatMap { paths(keys, $0.node.options, environment) }
            + paths(keys, file.runtime, environment) + own(environment)
    }

    /// The files and folders in which queues and sinks keep records.
    static func records(of file: PipelineFile, in environment: Environment) -> [String] {
        file.sinks.flatMap { sink in
            let own = sink.node.plugin == "s3" ? spool : []
            return paths(records, sink.node.common, environment)
                + paths(own, sink.node.options, environment)
        }
    }

    private static func paths(
        _ keys: [Key],
        _ options: ConfigNode,
        _ environment: Environment,
        depth: Int = 0
    ) -> [String] {
        guard let pairs = options.pairs, !keys.isEmpty, depth < maxDepth else { return [] }
        return pairs.flatMap { pair -> [String] in
            guard let key = keys.first(where: { $0.name == pair.key.text }) else {
                return paths(keys, pair.value, environment, depth: depth + 1)
            }
            // Errors in the value are reported when the component is built.
            var ignored = Diagnostics()
            let decoded = OptionSchema(key).decode(
                ConfigNode(.mapping([pair]), at: options.location),
                owner: "",
                into: &ignored,
                environment: environment
            )
            return decoded?[key].map { [$0] } ?? []
        }
    }

    /// The default folder of the authority, which also holds former authorities (XDG Base Directory
    /// Specification).
    private static func own(_ environment: Environment) -> [String] {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return ["\(data)/tapline"]
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return [] }
        return ["\(home)/.local/share/tapline"]
    }
}
