// SPDX-License-Identifier: MIT

/// Where the options of a file belong, so that one at the wrong level can be told its place.
public struct OptionPlaces: Sendable {
    private struct Entry {
        var name: String
        var place: String
        /// The declaration of an option within another one.
        var nested: AnyConfigKey?
    }

    /// The places that come first are preferred.
    private var entries: [Entry] = []

    /// No places.
    public init() {}

    /// Adds names that belong to one place.
    ///
    /// - Parameters:
    ///   - names: The options.
    ///   - place: What follows the name in a sentence: `belongs under 'runtime'`.
    public mutating func add(_ names: [String], _ place: String) {
        entries += names.map { Entry(name: $0, place: place) }
    }

    /// Adds the options within those of a schema: `rotate.size` belongs in `rotate`.
    ///
    /// - Parameters:
    ///   - schema: The options around them.
    ///   - suffix: What follows the name of the option that they belong in.
    public mutating func addNested(of schema: OptionSchema, _ suffix: String = "") {
        for key in schema.keys {
            guard let nested = key.nested else { continue }
            let place = "belongs in '\(key.name)'\(suffix)"
            entries += nested.keys.map { Entry(name: $0.name, place: place, nested: $0) }
            addNested(of: nested, " in '\(key.name)'\(suffix)")
        }
    }

    /// Adds the places of others, after these.
    public mutating func add(_ others: OptionPlaces) { entries += others.entries }

    /// A sentence that says where an option belongs that was found elsewhere; `nil` if it is unknown.
    public func help(for name: String) -> String? { help(for: name, within: nil) }

    /// The same for an option that was found within another one.
    ///
    /// An option there that takes the same quantity comes first: `rotate: { max_bytes: 1MiB }` means
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
