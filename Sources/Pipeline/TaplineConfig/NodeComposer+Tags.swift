// SPDX-License-Identifier: MIT

internal import TaplineYAML

extension NodeComposer {
    private static let prefix = "tag:yaml.org,2002:"

    /// Returns the node of a scalar: null or text, as its tag and style determine.
    mutating func scalar(
        _ text: String,
        _ style: YAMLEvent.ScalarStyle,
        _ event: YAMLEvent,
        at location: SourceLocation
    ) -> ConfigNode {
        var isPlain = style == .plain
        switch event.tag {
        case nil:
            break
        case "!", Self.prefix + "str":
            isPlain = false
        case Self.prefix + "int", Self.prefix + "float", Self.prefix + "bool",
            Self.prefix + "null":
            isPlain = true
        case let tag?:
            reportTag(tag, at: properties(of: event))
        }
        // YAML 1.2 §10.3.2, the core schema.
        let nulls = ["", "~", "null", "Null", "NULL"]
        if isPlain, nulls.contains(text) {
            return ConfigNode(.null, at: location)
        }
        return ConfigNode(.scalar(text, isPlain: isPlain), at: location)
    }

    /// Reports the tag of a collection unless it is the default one.
    mutating func checkTag(_ event: YAMLEvent, allowed: String) {
        guard let tag = event.tag, tag != "!", tag != Self.prefix + allowed else { return }
        reportTag(tag, at: properties(of: event))
    }

    private mutating func reportTag(_ tag: String, at location: SourceLocation) {
        let short =
            tag.hasPrefix(Self.prefix) ? "!!" + tag.dropFirst(Self.prefix.utf8.count) : tag
        diagnostics.error(
            at: location,
            "unknown tag \(quoted(short)); expected a value without a tag",
            help: "a text that begins with '!' needs quotes"
        )
    }
}
