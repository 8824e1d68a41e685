// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// Runs the whole configuration reader over arbitrary bytes, for fuzzers.
package enum ConfigFuzz {
    private static let rotate = OptionSchema(
        ConfigKey("size", OptionType<Int>.byteSize.optional, default: nil, summary: "Size."),
        ConfigKey("keep", .integer(in: 1...1000), default: 10, summary: "Files.")
    )

    private static let schema = OptionSchema(
        ConfigKey("path", .path, summary: "File."),
        ConfigKey("wait", .duration, default: .zero, summary: "Time."),
        ConfigKey("share", .number(in: 0...1), default: 1, summary: "Share."),
        ConfigKey("exact", .bool, default: false, summary: "Truth."),
        ConfigKey("mode", .choice(["keep", "any"]), default: "keep", summary: "Choice."),
        ConfigKey("names", .list(of: .text, acceptsSingle: true), default: [], summary: "List."),
        ConfigKey("fields", .map(of: .text), default: [], summary: "Map."),
        ConfigKey("rotate", .object(rotate), default: Options(rotate), summary: "Options."),
        ConfigKey("code", .text, default: "", summary: "Code.", interpolates: false),
        ConfigKey("config", .node, default: nil, summary: "Anything.")
    )

    /// Reads bytes as a file, decodes its mappings as options, and renders all messages.
    ///
    /// - Returns: The rendered messages; empty if there are no problems.
    package static func run(_ bytes: [UInt8]) -> String {
        var diagnostics = Diagnostics()
        let environment = Environment(["NAME": "value", "EMPTY": ""])
        if let root = ConfigReader().read(bytes, name: "fuzz.yaml", into: &diagnostics) {
            visit(root, &diagnostics, environment)
        }
        return diagnostics.rendered
    }

    private static func visit(
        _ node: ConfigNode,
        _ diagnostics: inout Diagnostics,
        _ environment: Environment
    ) {
        diagnostics.warnAboutComment(after: node)
        if let text = node.text {
            let middle = text.utf8.count / 2
            diagnostics.error(in: node, at: middle..<text.utf8.count, "half of it")
        }
        var options = schema.decode(
            node,
            owner: "fuzz",
            into: &diagnostics,
            environment: environment
        )
        options?.override("rotate.size", node.text ?? "1KiB", into: &diagnostics)
        for pair in node.pairs ?? [] {
            visit(pair.key, &diagnostics, environment)
            visit(pair.value, &diagnostics, environment)
        }
        for element in node.elements ?? [] {
            visit(element, &diagnostics, environment)
        }
    }
}
