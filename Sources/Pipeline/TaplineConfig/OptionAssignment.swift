// SPDX-License-Identifier: MIT

/// One `ID.option=value` of a command line: the path and the value, with their locations.
package struct OptionAssignment: Sendable {
    /// The id of the component.
    package var id: ConfigNode
    /// The option and the nested options: `rotate`, `size`.
    package var path: [ConfigNode]
    /// The value, read as YAML: a scalar, or a list or mapping in brackets.
    package var value: ConfigNode

    /// Creates an assignment from parts.
    package init(id: ConfigNode, path: [ConfigNode], value: ConfigNode) {
        self.id = id
        self.path = path
        self.value = value
    }

    /// Parses an argument; if it does not have this form, reports the problem and returns `nil`.
    ///
    /// - Parameters:
    ///   - argument: The argument after `--set`.
    ///   - diagnostics: Receives the problems, with `--set` as their location.
    package init?(_ argument: String, into diagnostics: inout Diagnostics) {
        let source = ConfigSource(name: "--set", text: argument, hasLines: false)
        let bytes = source.bytes
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            diagnostics.error(
                at: source.location(at: 0, length: bytes.count),
                "'=' is missing; expected ID.option=value"
            )
            return nil
        }
        var names: [ConfigNode] = []
        var start = 0
        for end in 0...equals where end == equals || bytes[end] == UInt8(ascii: ".") {
            let name = String(decoding: bytes[start..<end], as: UTF8.self)
            let place = source.location(at: start, length: end - start)
            guard !name.isEmpty else {
                diagnostics.error(at: place, "a name is missing; expected ID.option=value")
                return nil
            }
            names.append(ConfigNode(.scalar(name, isPlain: true), at: place))
            start = end + 1
        }
        guard names.count >= 2 else {
            diagnostics.error(
                at: names.first?.location,
                "the option is missing; expected ID.option=value"
            )
            return nil
        }
        guard let value = ConfigNode.argumentValue(source, at: equals + 1, into: &diagnostics)
        else { return nil }
        self.id = names[0]
        self.path = Array(names.dropFirst())
        self.value = value
    }
}

extension ConfigNode {
    /// Returns this mapping with one value replaced or added.
    ///
    /// - Parameters:
    ///   - path: The keys that lead to the value, starting in this mapping.
    ///   - value: The new value.
    /// - Returns: The new tree. Values on the path that are not mappings are replaced by mappings.
    package func setting(_ path: ArraySlice<ConfigNode>, to value: ConfigNode) -> ConfigNode {
        guard let key = path.first else { return value }
        var pairs = pairs ?? []
        let rest = path.dropFirst()
        if let index = pairs.firstIndex(where: { $0.key.text == key.text }) {
            pairs[index].value = pairs[index].value.setting(rest, to: value)
        } else {
            pairs.append((key, ConfigNode(.null, at: key.location).setting(rest, to: value)))
        }
        return ConfigNode(.mapping(pairs), at: location)
    }

    /// Parses the rest of an argument as YAML; an empty text is null.
    fileprivate static func argumentValue(
        _ source: ConfigSource,
        at start: Int,
        into diagnostics: inout Diagnostics
    ) -> ConfigNode? {
        var masked = [UInt8](repeating: UInt8(ascii: " "), count: start)
        masked += source.bytes[start...]
        var composer = NodeComposer(source: source, text: masked, limits: YAMLLimits())
        let node = composer.compose()
        diagnostics.append(contentsOf: composer.diagnostics)
        guard !composer.diagnostics.hasErrors else { return nil }
        return node ?? ConfigNode(.null, at: source.location(at: start))
    }
}

extension Options {
    /// Replaces the value of one option by a text from the command line.
    ///
    /// - Parameters:
    ///   - name: The option, or a path into it such as `rotate.size`.
    ///   - text: The value as YAML: a scalar, or a list or mapping in brackets.
    ///   - diagnostics: Receives the problems, with `--set` as their location.
    /// - Returns: Whether the value was replaced.
    @discardableResult
    package mutating func override(
        _ name: String,
        _ text: String,
        into diagnostics: inout Diagnostics
    ) -> Bool {
        let owner = owner.isEmpty || owner.utf8.contains(UInt8(ascii: ".")) ? "ID" : owner
        guard let argument = OptionAssignment("\(owner).\(name)=\(text)", into: &diagnostics) else {
            return false
        }
        return apply(argument, into: &diagnostics)
    }
}
