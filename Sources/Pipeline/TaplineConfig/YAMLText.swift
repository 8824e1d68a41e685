// SPDX-License-Identifier: MIT

/// Writes texts in YAML notation.
package enum YAMLText {
    /// Returns a scalar that reads as the same text, with quotes only if it needs them.
    package static func scalar(_ text: String) -> String {
        if text.unicodeScalars.contains(where: { ExcerptRenderer.escaped($0) != nil }) {
            return doubleQuoted(text)
        }
        guard needsQuotes(text) else { return text }
        var quoted = "'"
        for scalar in text.unicodeScalars {
            quoted.unicodeScalars.append(scalar)
            if scalar == "'" {
                quoted += "'"
            }
        }
        return quoted + "'"
    }

    private static func needsQuotes(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, let last = bytes.last else { return true }
        let special: StaticString = "*&!%@`[]{},#|>'\"-?: ~"
        let words = ["true", "false", "null", "yes", "no", "on", "off"]
        if special.description.utf8.contains(first) || last == 0x20 || last == UInt8(ascii: ":")
            || words.contains(text.lowercased()) || Double(text) != nil
        {
            return true
        }
        let inner = Set(",[]{}".utf8)
        return zip(bytes, bytes.dropFirst()).contains { byte, next in
            (byte == UInt8(ascii: ":") && next == 0x20)
                || (byte == 0x20 && next == UInt8(ascii: "#"))
        } || bytes.contains(where: inner.contains)
    }

    /// JSON's escapes, which YAML reads in the same way (YAML 1.2 §5.7).
    private static func doubleQuoted(_ text: String) -> String {
        JSONSchemaNode.string(text).text
    }
}
