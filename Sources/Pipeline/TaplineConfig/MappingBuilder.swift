// SPDX-License-Identifier: MIT

/// Collects the pairs of one mapping, rejects duplicate keys and applies merge keys.
///
/// `<<` follows YAML 1.1 (https://yaml.org/type/merge.html): keys of the mapping itself take
/// precedence over merged ones, regardless of their order; of several merged mappings the first one
/// wins.
struct MappingBuilder {
    private(set) var pairs: [ConfigNode.Pair] = []
    private var indexes: [String: Int] = [:]
    private var merged: Set<String> = []

    /// Adds a pair of the mapping itself.
    mutating func add(key: ConfigNode, value: ConfigNode, into diagnostics: inout Diagnostics) {
        guard let name = key.text else {
            diagnostics.error(at: key.location, "a key must be text; found \(key.found)")
            return
        }
        if let index = indexes[name] {
            if merged.remove(name) != nil {
                pairs[index] = (key, value)
                return
            }
            let first = pairs[index].key.location
            diagnostics.error(
                at: key.location,
                "duplicate key \(quoted(name)); the first one is at line \(first.line), "
                    + "column \(first.column)",
                help: "remove one of them"
            )
            return
        }
        indexes[name] = pairs.count
        pairs.append((key, value))
    }

    /// Adds the pairs of a merged mapping, or of a list of mappings.
    mutating func merge(_ node: ConfigNode, into diagnostics: inout Diagnostics) {
        switch node.value {
        case .mapping(let others):
            for (key, value) in others {
                guard let name = key.text, indexes[name] == nil else { continue }
                indexes[name] = pairs.count
                merged.insert(name)
                pairs.append((key, value))
            }
        case .sequence(let elements) where elements.allSatisfy({ $0.pairs != nil }):
            for element in elements {
                merge(element, into: &diagnostics)
            }
        default:
            diagnostics.error(
                at: node.location,
                "'<<' merges mappings; found \(node.found), expected a mapping or a list of them"
            )
        }
    }
}
