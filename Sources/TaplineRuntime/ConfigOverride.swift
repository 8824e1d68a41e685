// SPDX-License-Identifier: MIT

public import TaplineConfig

/// One `--set ID.option=value` of the command line.
public struct ConfigOverride: Sendable {
    /// The id of the component, or `runtime`.
    let id: String
    /// The option, and the options inside it.
    let path: [String]
    /// The new value.
    let value: ConfigNode
    /// Where the name stands, for messages.
    let location: SourceLocation

    /// Reads `ID.option=value`; the value is YAML.
    ///
    /// Says in the diagnostics what is wrong with it.
    public init?(_ argument: String, into diagnostics: inout Diagnostics) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, names.count >= 2, !names.contains("") else {
            diagnostics.error(
                at: nil,
                "wrong argument of --set; found '\(argument)', expected ID.option=value",
                help: "for example --set limit_body.max_bytes=64KiB"
            )
            return nil
        }
        let offset = parts[0].utf8.count
        guard
            let value = ConfigNode.parseArgument(
                argument,
                valueAt: offset + 1,
                into: &diagnostics
            )
        else { return nil }
        id = String(names[0])
        path = names.dropFirst().map(String.init)
        self.value = value
        location = value.location.source.location(at: 0, length: offset)
    }
}
