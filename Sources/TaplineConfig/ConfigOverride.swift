// SPDX-License-Identifier: MIT

extension ConfigNode {
    /// This mapping with one value replaced or added, as `--set ID.option=value` asks for.
    ///
    /// - Parameters:
    ///   - path: Names from this mapping on: `["rotate", "size"]`.
    ///   - value: The new value; ``parseArgument(_:valueAt:into:)`` makes one.
    /// - Returns: The new tree. What is no mapping on the way becomes one.
    public func setting(_ path: [String], to value: ConfigNode) -> ConfigNode {
        guard let name = path.first else { return value }
        var pairs = pairs ?? []
        let rest = Array(path.dropFirst())
        if let index = pairs.firstIndex(where: { $0.key.text == name }) {
            pairs[index].value = pairs[index].value.setting(rest, to: value)
        } else {
            let key = ConfigNode(.scalar(name, isPlain: true), at: value.location)
            let empty = ConfigNode(.null, at: value.location)
            pairs.append((key, empty.setting(rest, to: value)))
        }
        return ConfigNode(.mapping(pairs), at: location)
    }

    /// Reads the value of an argument such as `limit_body.max_bytes=64KiB` as YAML.
    ///
    /// - Parameters:
    ///   - argument: The whole argument, for excerpts.
    ///   - offset: The byte at which the value begins.
    ///   - diagnostics: Where problems go.
    /// - Returns: The value, or nil when it is not YAML.
    public static func parseArgument(
        _ argument: String,
        valueAt offset: Int,
        into diagnostics: inout Diagnostics
    ) -> ConfigNode? {
        let source = ConfigSource(name: "--set", text: argument, hasLines: false)
        let bytes = Array(argument.utf8)
        let start = min(max(offset, 0), bytes.count)
        var masked = [UInt8](repeating: UInt8(ascii: " "), count: start)
        masked += bytes[start...]
        var composer = NodeComposer(source: source, text: masked, limits: YAMLLimits())
        let node = composer.compose()
        diagnostics.append(contentsOf: composer.diagnostics)
        if node == nil, !composer.diagnostics.hasErrors {
            return ConfigNode(.null, at: source.location(at: start))
        }
        return node
    }
}

extension Options {
    /// Replaces the value of one option by the text of a command line.
    ///
    /// - Parameters:
    ///   - name: The option, or a path into it such as `rotate.size`.
    ///   - text: The value as YAML: a scalar, or a list or mapping in brackets.
    ///   - diagnostics: Where problems go, with `--set` as their place.
    /// - Returns: Whether it was replaced.
    @discardableResult
    public mutating func override(
        _ name: String,
        _ text: String,
        into diagnostics: inout Diagnostics
    ) -> Bool {
        let prefix = owner.isEmpty ? "\(name)=" : "\(owner).\(name)="
        let argument = prefix + text
        guard
            let value = ConfigNode.parseArgument(
                argument,
                valueAt: prefix.utf8.count,
                into: &diagnostics
            )
        else { return false }
        let path = name.split(separator: ".").map(String.init)
        let key = value.location.source.location(
            at: owner.isEmpty ? 0 : owner.utf8.count + 1,
            length: name.utf8.count
        )
        return override(path, with: value, named: key, into: &diagnostics)
    }
}
