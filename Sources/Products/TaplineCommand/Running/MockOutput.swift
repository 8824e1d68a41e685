// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel

/// The file to which `tapline mock --record-to` appends what servers answer.
struct MockOutput {
    /// The id of the sink.
    private static let id = "recorded"
    /// The exchanges with servers that are answers from then on.
    private static let filter = #"tag["tapline.answer"] == "recorded""#
    private static let databases = [".db", ".sqlite"]
    private static let texts = [".ndjson", ".jsonl"]

    private let path: String
    private let isDatabase: Bool

    /// Returns the file that the command line names; `nil` if it names none.
    init?(_ invocation: Invocation) throws(UsageError) {
        guard let path = invocation.value("record-to") else { return nil }
        if let policy = invocation.value("on-miss"), policy != "record" {
            throw UsageError(
                message: "'--record-to' cannot be combined with '--on-miss \(policy)'"
            )
        }
        isDatabase = Self.databases.contains { path.hasSuffix($0) }
        guard isDatabase || Self.texts.contains(where: path.hasSuffix) else {
            throw UsageError(
                message: "wrong value of '--record-to'; found '\(path)', expected a file "
                    + "'.ndjson' or '.db'"
            )
        }
        self.path = path
    }

    /// Adds a sink for the file to a pipeline.
    func adapt(_ root: ConfigNode) -> ConfigNode {
        var ignored = Diagnostics()
        let own = ConfigReader().read(
            ConfigSource(name: "--record-to", text: "sinks: [\(sink)]"),
            into: &ignored
        )
        guard var pairs = root.pairs, let sinks = own?.pair("sinks") else { return root }
        let others = root["sinks"]?.elements ?? []
        let all = others + (sinks.value.elements ?? [])
        pairs.removeAll { $0.key.text == "sinks" }
        pairs.append((sinks.key, ConfigNode(.sequence(all), at: sinks.value.location)))
        return ConfigNode(.mapping(pairs), at: root.location)
    }

    private var sink: String {
        var json = JSONWriter()
        json.beginObject()
        if isDatabase { json.key("sqlite") } else { json.key("ndjson") }
        json.beginObject()
        json.key("path")
        json.string(path.literalOptionValue)
        json.endObject()
        json.key("id")
        json.string(Self.id)
        json.key("when")
        json.string(Self.filter)
        json.endObject()
        return String(decoding: Array(copying: json.bytes), as: UTF8.self)
    }
}
