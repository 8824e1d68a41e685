// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineSystem

/// The key files of a pipeline and the folders of its certificate authorities, which no component
/// may expose.
///
/// They are found by option name in all components, including those whose options are otherwise
/// ignored, such as sources when only stages are built.
enum ProtectedPaths {
    private static let keys = ["key_file", "client_key", "ca", "control_token_file"].map {
        ConfigKey($0, OptionType<String>.path.optional, default: nil, summary: "A path.")
    }

    /// The paths that a file names, and the folder of the user's own authorities.
    static func of(_ file: PipelineFile, in environment: Environment) -> [String] {
        let components = file.sources + file.stages + file.sinks
        return components.flatMap { paths($0.node.options, environment) }
            + paths(file.runtime, environment) + own(environment)
    }

    private static func paths(_ options: ConfigNode, _ environment: Environment) -> [String] {
        keys.compactMap { key in
            guard let pair = options.pair(key.name) else { return nil }
            // Errors in the value are reported when the component is built.
            var ignored = Diagnostics()
            let decoded = OptionSchema(key).decode(
                ConfigNode(.mapping([pair]), at: options.location),
                owner: "",
                into: &ignored,
                environment: environment
            )
            return decoded?[key]
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
