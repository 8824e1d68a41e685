// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The sink of a file that an option such as `--out` adds to a pipeline.
struct AddedSink {
    let path: String
    let id: String
    /// The filter of the exchanges that it takes; `nil` for all.
    var condition: String?

    /// The suffixes of the files that can be written, for people.
    static let suffixes = "'.ndjson', '.jsonl', '.db' or '.sqlite'"

    /// Whether the file is a database by its name, and not NDJSON.
    var isDatabase: Bool { path.hasSuffix(".db") || path.hasSuffix(".sqlite") }

    /// Whether the name of the file says what it is.
    var isKnown: Bool { isDatabase || path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") }

    /// Returns the sink as an element of `sinks` in a pipeline; messages name the option.
    func node(of option: String) -> ConfigNode {
        let path = ArgumentValue(path, of: option).node(.literal)
        var sink: [(String, ConfigNode)] = [
            (isDatabase ? "sqlite" : "ndjson", .generated(mapping: [("path", path)])),
            ("id", .generated(id)),
        ]
        if let condition { sink.append(("when", .generated(condition))) }
        return .generated(mapping: sink)
    }
}

extension ConfigNode {
    /// Returns this pipeline with the sinks of another one after its own.
    func addingSinks(of other: ConfigNode) -> ConfigNode {
        guard var pairs = self.pairs, let added = other.pair("sinks") else { return self }
        let all = (self["sinks"]?.elements ?? []) + (added.value.elements ?? [])
        pairs.removeAll { $0.key.text == "sinks" }
        pairs.append((added.key, ConfigNode(.sequence(all), at: added.value.location)))
        return ConfigNode(.mapping(pairs), at: location)
    }
}
