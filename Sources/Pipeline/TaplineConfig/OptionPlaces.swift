// SPDX-License-Identifier: MIT

/// The places where the options of a file belong, for messages about options at a wrong level.
package struct OptionPlaces: Sendable {
    private struct Entry {
        var name: String
        var place: String
        /// The declaration of a nested option.
        var nested: AnyConfigKey?
    }

    /// The entries; earlier ones take precedence.
    private var entries: [Entry] = []

    /// Creates an empty collection.
    package init() {}

    /// Adds names that belong to one place.
    ///
    /// - Parameters:
    ///   - names: The options.
    ///   - place: The text that follows the name in a sentence: `belongs under 'runtime'`.
    package mutating func add(_ names: [String], _ place: String) {
        entries += names.map { Entry(name: $0, place: place) }
    }

    /// Adds the nested options of a schema: `rotate.size` belongs in `rotate`.
    ///
    /// - Parameters:
    ///   - schema: The enclosing options.
    ///   - suffix: The text that follows the name of the enclosing option.
    package mutating func addNested(of schema: OptionSchema, _ suffix: String = "") {
        for key in schema.keys {
            guard let nested = key.nested else { continue }
            let place = "belongs in '\(key.name)'\(suffix)"
            entries += nested.keys.map { Entry(name: $0.name, place: place, nested: $0) }
            addNested(of: nested, " in '\(key.name)'\(suffix)")
        }
    }

    /// Adds other places after these.
    package mutating func add(_ others: OptionPlaces) { entries += others.entries }

    /// Returns a sentence that names the right place of a misplaced option; `nil` if it is unknown.
    package func help(for name: String) -> String? { help(for: name, within: nil) }

    /// The same for an option that was found in another option.
    ///
    /// An option there with the same quantity takes precedence: `rotate: { max_bytes: 1MiB }` means
    /// `size`, although `queue` has a `max_bytes`.
    func help(for name: String, within siblings: [AnyConfigKey]?) -> String? {
        guard let entry = entries.first(where: { $0.name == name }) else { return nil }
        let help = "'\(name)' \(entry.place)"
        guard let meant = entry.nested, meant.unit != nil,
            let sibling = siblings?.first(where: {
                $0.unit == meant.unit && $0.typeName == meant.typeName
            })
        else { return help }
        return "did you mean '\(sibling.name)'? \(help)"
    }
}
