// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// One entry of `keep`: a JSON path, or a place and a name.
struct KeepEntry: Sendable {
    /// The place of a name.
    enum Place: String, Sendable, CaseIterable {
        case header, cookie, query, form, json, tag
    }

    let place: Place
    /// A name, which may contain `*` and `?`, or a JSON path.
    let name: String

    /// The entry in the notation of the configuration.
    var text: String { "\(place.rawValue) \(name)" }

    /// The option type of entries.
    static let type = OptionType<KeepEntry>(
        name: "paths and names",
        schema: [
            "type": "string",
            "pattern": #"^(\$[.\[].+|(header|cookie|query|form|json|tag) .+)$"#,
        ],
        describe: { $0.text }
    ) { node, context in
        guard let text = node.text else {
            return context.mismatch(node, expected: "a path, or a place and a name")
        }
        if text.utf8.first == UInt8(ascii: "$") {
            return checked(KeepEntry(place: .json, name: text), node, &context)
        }
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let place = Place(rawValue: String(parts[0])) else {
            return context.error(
                node,
                "'\(text)' is not a path or a place with a name",
                help: "write '$.path', or one of header, cookie, query, form, json, tag with a name"
            )
        }
        return checked(KeepEntry(place: place, name: String(parts[1])), node, &context)
    }

    private static func checked(
        _ kept: KeepEntry,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> KeepEntry? {
        guard kept.place == .json, kept.name.utf8.first == UInt8(ascii: "$") else { return kept }
        do throws(JSONPathError) {
            _ = try JSONPath(kept.name)
            return kept
        } catch {
            return context.error(
                node,
                "invalid path '\(kept.name)': \(error.message)",
                help: "paths look like '$.total', '$.items[*].price' or '$..count'"
            )
        }
    }
}

/// The entries of `keep`, compiled for matching.
///
/// A class, because passing a struct on would retain each of its parts.
final class KeepList: Sendable {
    let headers: NameRules
    let cookies: NameRules
    let query: NameRules
    let form: NameRules
    let json: NameRules
    let tags: NameRules
    let paths: JSONPathRules
    /// Whether nothing is kept, the most common case.
    let isEmpty: Bool
    /// Names in the entries and thus in the configuration; they may be shown.
    let names: [String]
    /// Whether there was room for all paths.
    let isWhole: Bool

    init(_ places: [KeepEntry]) {
        var headers = NameRules()
        var cookies = NameRules()
        var query = NameRules()
        var form = NameRules()
        var json = NameRules()
        var tags = NameRules()
        var paths = JSONPathRules()
        var names: [String] = []
        var isWhole = true
        // Only the match matters, so any rule will do.
        let rule = Rule(RuleBook.inDoubt, .mask)
        for kept in places {
            switch kept.place {
            case .header: headers.add(kept.name, rule)
            case .cookie: cookies.add(kept.name, rule)
            case .query: query.add(kept.name, rule)
            case .form: form.add(kept.name, rule)
            case .tag: tags.add(kept.name, rule)
            case .json:
                guard kept.name.utf8.first == UInt8(ascii: "$") else {
                    json.add(kept.name, rule)
                    break
                }
                if let path = try? JSONPath(kept.name) {
                    isWhole = paths.add(path, rule) && isWhole
                }
                names += Self.steps(kept.name)
                continue
            }
            if !NameRules.isPattern(kept.name) { names.append(kept.name) }
        }
        self.headers = headers
        self.cookies = cookies
        self.query = query
        self.form = form
        self.json = json
        self.tags = tags
        self.paths = paths
        self.names = names
        self.isWhole = isWhole
        isEmpty = places.isEmpty
    }

    /// Whether the value of a name is kept; a nested form name is also compared by its last part.
    func keeps(_ name: Span<UInt8>, _ rules: borrowing NameRules) -> Bool {
        !isEmpty && rules.rule(forNested: name) != nil
    }

    /// Returns the names in a path that are written in plain form.
    private static func steps(_ path: String) -> [String] {
        path.utf8.split(whereSeparator: { byte in
            switch byte {
            case .ascii("$"), .ascii("."), .ascii("["), .ascii("]"), .ascii("'"), .ascii("\""),
                .ascii("*"):
                true
            default: false
            }
        })
        .map { String(decoding: Array($0), as: UTF8.self) }
    }
}
