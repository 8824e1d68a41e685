// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// One entry of `keep`: a path in JSON, or a place and a name.
struct KeptPlace: Sendable {
    /// Where a name stands.
    enum Place: String, Sendable, CaseIterable {
        case header, cookie, query, form, json, tag
    }

    let place: Place
    /// A name, which may have `*` and `?` in it, or a path in JSON.
    let name: String

    /// As the configuration writes it.
    var text: String { "\(place.rawValue) \(name)" }

    /// How entries are written.
    static let type = OptionType<KeptPlace>(
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
            return checked(KeptPlace(place: .json, name: text), node, &context)
        }
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let place = Place(rawValue: String(parts[0])) else {
            return context.error(
                node,
                "'\(text)' names no place",
                help: "write '$.path', or one of header, cookie, query, form, json, tag and a name"
            )
        }
        return checked(KeptPlace(place: place, name: String(parts[1])), node, &context)
    }

    private static func checked(
        _ kept: KeptPlace,
        _ node: ConfigNode,
        _ context: inout OptionContext
    ) -> KeptPlace? {
        guard kept.place == .json, kept.name.utf8.first == UInt8(ascii: "$") else { return kept }
        do throws(JSONPathError) {
            _ = try JSONPath(kept.name)
            return kept
        } catch {
            return context.error(
                node,
                "bad path '\(kept.name)': \(error.message)",
                help: "paths look like '$.total', '$.items[*].price' or '$..count'"
            )
        }
    }
}

/// What `keep` lets through, ready to use.
struct StrictKeep: Sendable {
    private(set) var headers = NameRules()
    private(set) var cookies = NameRules()
    private(set) var query = NameRules()
    private(set) var form = NameRules()
    private(set) var json = NameRules()
    private(set) var tags = NameRules()
    private(set) var paths = JSONPathRules()
    /// Names that stand in the entries, and so in the configuration; they may be shown.
    private(set) var names: [String] = []
    /// Whether all paths found room.
    private(set) var isWhole = true

    init(_ places: [KeptPlace]) {
        // Only whether a name matches counts.
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
    }

    /// The names in a path, as far as they are written plainly.
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
