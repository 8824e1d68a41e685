// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

extension TestValue {
    /// The value as JSON on one line.
    var compactText: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }

    /// The value as JSON, one member or element a line, the keys sorted so that two can be compared.
    var lines: [String] {
        var lines: [String] = []
        append(to: &lines, indent: 0, prefix: "", suffix: "")
        return lines
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let flag): writer.bool(flag)
        case .number(let text): writer.raw(text.utf8.span)
        case .text(let text): writer.string(text)
        case .list(let values):
            writer.beginArray()
            for value in values { value.write(to: &writer) }
            writer.endArray()
        case .object(let pairs):
            writer.beginObject()
            for pair in pairs {
                writer.key(pair.key.utf8.span)
                pair.value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    private func append(to lines: inout [String], indent: Int, prefix: String, suffix: String) {
        let space = String(repeating: " ", count: indent) + prefix
        switch self {
        case .list(let values) where !values.isEmpty:
            lines.append(space + "[")
            for (index, value) in values.enumerated() {
                let comma = index == values.count - 1 ? "" : ","
                value.append(to: &lines, indent: indent + 2, prefix: "", suffix: comma)
            }
            lines.append(String(repeating: " ", count: indent) + "]" + suffix)
        case .object(let pairs) where !pairs.isEmpty:
            lines.append(space + "{")
            for (index, pair) in pairs.sorted(by: { $0.key < $1.key }).enumerated() {
                let comma = index == pairs.count - 1 ? "" : ","
                let key = TestValue.text(pair.key).compactText + ": "
                pair.value.append(to: &lines, indent: indent + 2, prefix: key, suffix: comma)
            }
            lines.append(String(repeating: " ", count: indent) + "}" + suffix)
        default: lines.append(space + compactText + suffix)
        }
    }
}
