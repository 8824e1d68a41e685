// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
internal import TaplineRuntime

/// The options of `tapline mock` as options of its source.
struct MockOptions {
    let invocation: Invocation

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Returns what the command line sets of the source `server_replay` of a pipeline.
    func assignments(
        _ builder: TopologyBuilder,
        _ root: ConfigNode,
        _ diagnostics: inout Diagnostics
    ) -> [OptionAssignment] {
        let ids = builder.sources(of: "server_replay", in: root)
        guard ids.count == 1, let id = ids.first else {
            diagnostics.error(
                at: root["sources"]?.location ?? root.location,
                "'mock' needs exactly one source 'server_replay'; found \(ids.count)"
            )
            return []
        }
        func isSet(_ name: String) -> Bool {
            builder.isSet(name, ofSource: id, in: root)
                || invocation.values("set").contains { $0.hasPrefix("\(id).\(name)=") }
        }
        var texts = ["path=\(Self.list(invocation.operands.map(\.literalOptionValue)))"]
        for name in ["filter", "latency", "on-miss", "upstream", "session", "repeat"] {
            guard let value = invocation.value(name) else { continue }
            texts.append("\(name.replacing("-", with: "_"))=\(Self.quoted(value))")
        }
        if invocation.has("record-to") { texts.append("on_miss=record") }
        if invocation.has("templates") { texts.append("templates=true") }
        if invocation.has("ignore") {
            texts.append("ignore=\(Self.list(invocation.values("ignore")))")
        }
        let matches = invocation.values("match")
        let rules = matches.compactMap { MatchRule($0) }
        let parts = matches.filter { MatchRule($0) == nil }
        if !parts.isEmpty { texts.append("match=\(Self.list(parts))") }
        if !rules.isEmpty {
            let items = rules.map(\.yaml).joined(separator: ", ")
            texts.append("match_rules=[\(items)]")
        }
        let runsCommand = invocation.has("exec")
        if let address = invocation.value("listen") {
            texts.append("listen=\(Self.quoted(address))")
        } else if runsCommand || !isSet("listen") {
            texts.append("listen='127.0.0.1:0'")
        }
        if runsCommand {
            if !isSet("intercept") { texts.append("intercept=true") }
            if !isSet("allow_users") { texts.append("allow_users=same") }
        }
        return texts.compactMap { OptionAssignment("\(id).\($0)", into: &diagnostics) }
    }

    /// A list of texts as YAML.
    fileprivate static func list(_ texts: [String]) -> String {
        "[" + texts.map(quoted).joined(separator: ", ") + "]"
    }

    /// A text as YAML: a string of JSON is one in double quotes.
    fileprivate static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }
}

/// A value `FILTER => PART, ...` of `--match`.
private struct MatchRule: Equatable {
    private static let arrow = "=>"

    let filter: String
    let parts: [String]
    let ignored: [String]

    /// Divides a value; `nil` if it is a part alone.
    init?(_ text: String) {
        // The filter may contain the arrow in a text, the parts may not.
        guard let arrow = text.ranges(of: MatchRule.arrow).last else { return nil }
        filter = MatchRule.trimmed(text[..<arrow.lowerBound])
        let words = text[arrow.upperBound...].split(separator: ",").map(MatchRule.trimmed)
        let prefix = "ignore "
        ignored = words.filter { $0.hasPrefix(prefix) }.map {
            MatchRule.trimmed($0.dropFirst(prefix.count))
        }
        parts = words.filter { !$0.hasPrefix(prefix) }
    }

    var yaml: String {
        "{ when: \(MockOptions.quoted(filter)), by: \(MockOptions.list(parts)), "
            + "ignore: \(MockOptions.list(ignored)) }"
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
