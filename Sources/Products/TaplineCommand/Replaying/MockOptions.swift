// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
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
        var result: [OptionAssignment] = []
        func set(_ option: String, _ value: ConfigNode) {
            result.append(
                OptionAssignment(id: .generated(id), path: [.generated(option)], value: value)
            )
        }
        set("path", Self.list(invocation.operands, of: "REC", .literal))
        for name in ["filter", "latency", "on-miss", "upstream", "session", "repeat"] {
            guard let value = invocation.value(name) else { continue }
            set(name.replacing("-", with: "_"), ArgumentValue(value, of: "--\(name)").node(.text))
        }
        if invocation.has("record-to") { set("on_miss", .generated("record")) }
        if invocation.has("templates") { set("templates", .generated("true")) }
        if invocation.has("ignore") {
            set("ignore", Self.list(invocation.values("ignore"), of: "--ignore", .text))
        }
        let matches = invocation.values("match")
        let parts = matches.filter { MatchRule($0) == nil }
        if !parts.isEmpty { set("match", Self.list(parts, of: "--match", .text)) }
        let rules = matches.compactMap { MatchRule($0)?.node }
        if !rules.isEmpty { set("match_rules", .generated(list: rules)) }
        let runsCommand = invocation.has("exec")
        if let address = invocation.value("listen") {
            set("listen", ArgumentValue(address, of: "--listen").node(.text))
        } else if runsCommand || !isSet("listen") {
            set("listen", .generated("127.0.0.1:0"))
        }
        if runsCommand {
            if !isSet("intercept") { set("intercept", .generated("true")) }
            if !isSet("allow_users") { set("allow_users", .generated("same")) }
        }
        return result
    }

    private static func list(
        _ texts: [String],
        of name: String,
        _ kind: ArgumentValue.Kind
    ) -> ConfigNode {
        .generated(list: texts.map { ArgumentValue($0, of: name).node(kind) })
    }
}

/// A value `FILTER => PART, ...` of `--match`.
private struct MatchRule {
    private static let arrow = "=>"
    private static let ignoring = "ignore "

    private let value: ArgumentValue
    private let filter: Substring
    private let words: [Substring]

    /// Divides a value; `nil` if it is a part alone.
    init?(_ text: String) {
        // The filter may contain the arrow in a text, the parts may not.
        guard let arrow = text.ranges(of: MatchRule.arrow).last else { return nil }
        value = ArgumentValue(text, of: "--match")
        filter = MatchRule.trimmed(text[..<arrow.lowerBound])
        words = text[arrow.upperBound...].split(separator: ",").map(MatchRule.trimmed)
    }

    /// The rule as an element of `match_rules`.
    var node: ConfigNode {
        let ignored = words.filter { $0.hasPrefix(MatchRule.ignoring) }.map {
            MatchRule.trimmed($0.dropFirst(MatchRule.ignoring.count))
        }
        let parts = words.filter { !$0.hasPrefix(MatchRule.ignoring) }
        return .generated(mapping: [
            ("when", value.node(filter, .text)),
            ("by", .generated(list: parts.map { value.node($0, .text) })),
            ("ignore", .generated(list: ignored.map { value.node($0, .text) })),
        ])
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else {
            return text[text.endIndex...]
        }
        return start[...last]
    }
}
