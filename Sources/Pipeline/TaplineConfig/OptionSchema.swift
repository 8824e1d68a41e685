// SPDX-License-Identifier: MIT

package import TaplineSystem

/// The options of a plugin or of a part of the file.
public struct OptionSchema: Sendable {
    /// The options in declaration order.
    package let keys: [AnyConfigKey]

    /// Creates a schema from declarations.
    public init(_ keys: any ConfigKeyDeclaration...) {
        self.init(keys)
    }

    /// Creates a schema from declarations.
    public init(_ keys: [any ConfigKeyDeclaration]) {
        self.keys = keys.map(\.erased)
    }

    /// Returns the declaration with a name.
    package subscript(name: String) -> AnyConfigKey? {
        keys.first { $0.name == name }
    }

    /// Decodes a mapping and reports all its problems.
    ///
    /// - Parameters:
    ///   - node: The mapping; null counts as an empty one.
    ///   - owner: The owner of the options in messages.
    ///   - place: The location for missing options, such as the plugin's name; the mapping if
    ///     `nil`.
    ///   - places: The right places of options that belong elsewhere.
    ///   - diagnostics: Receives the problems.
    ///   - environment: The environment for `${NAME}`.
    /// - Returns: The options; `nil` if there was an error.
    package func decode(
        _ node: ConfigNode,
        owner: String,
        at place: SourceLocation? = nil,
        places: OptionPlaces = OptionPlaces(),
        into diagnostics: inout Diagnostics,
        environment: Environment
    ) -> Options? {
        var context = OptionContext(owner: owner, environment: environment)
        context.place = place
        context.places = places
        swap(&context.diagnostics, &diagnostics)
        defer { swap(&context.diagnostics, &diagnostics) }
        return decode(node, &context)
    }

    /// Decodes a nested mapping; the context's owner names it in messages.
    package func decode(_ node: ConfigNode, _ context: inout OptionContext) -> Options? {
        let pairs: [ConfigNode.Pair]
        switch node.value {
        case .mapping(let own): pairs = own
        case .null: pairs = []
        default:
            let expected = keys.isEmpty ? "nothing" : "a mapping of options"
            return context.mismatch(node, expected: expected)
        }
        let (owner, place, isNested) = (context.owner, context.place, context.isNested)
        context.isNested = true
        defer { (context.owner, context.place, context.isNested) = (owner, place, isNested) }
        var options = Options(
            schema: self,
            owner: owner,
            node: node,
            environment: context.environment
        )
        var isComplete = true
        for (key, value) in pairs {
            context.owner = owner
            guard let name = key.text, let declaration = self[name] else {
                reportUnknown(key, owner, context.places, isNested: isNested, &context.diagnostics)
                isComplete = false
                continue
            }
            context.owner = name
            context.place = key.location
            if let decoded = declaration.decode(value, &context) {
                options.store(name, decoded, at: value.location)
            } else {
                isComplete = false
            }
        }
        for key in keys where key.isRequired && node.pair(key.name) == nil {
            context.diagnostics.error(
                at: place ?? node.location,
                "option '\(key.name)' is missing in '\(owner)'; expected \(key.typeName)",
                help: key.example.map { "add '\(key.name): \($0)'" }
            )
            isComplete = false
        }
        return isComplete ? options : nil
    }

    /// Reports an undeclared option, with its right place or a similar name.
    func reportUnknown(
        _ key: ConfigNode,
        _ owner: String,
        _ places: OptionPlaces,
        isNested: Bool = false,
        _ diagnostics: inout Diagnostics
    ) {
        let names = keys.map(\.name)
        let expected = names.isEmpty ? "no options" : names.joined(separator: ", ")
        diagnostics.error(
            at: key.location,
            "unknown option \(key.found) in '\(owner)'; expected \(expected)",
            help: key.text.flatMap {
                places.help(for: $0, within: isNested ? keys : nil) ?? helpForSecret($0)
                    ?? Suggestion.help(for: $0, among: names)
            }
        )
    }

    /// Returns a help text for a secret that is written in the file, if options for a secret exist.
    private func helpForSecret(_ name: String) -> String? {
        guard SecretNames.contains(name) else { return nil }
        let places = keys.map(\.name).filter { name in
            ["_env", "_file"].contains { suffix in
                name.hasSuffix(suffix) && SecretNames.contains(String(name.dropLast(suffix.count)))
            }
        }
        guard !places.isEmpty else { return nil }
        let quoted = places.map { "'\($0)'" }.joined(separator: " or ")
        return "a secret must not be written here: name its variable or its file with \(quoted)"
    }
}
