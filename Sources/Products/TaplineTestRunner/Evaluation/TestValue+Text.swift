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

    /// The most columns that a list or an object within another may take on one line.
    private static let width = 60

    /// The value as JSON in lines: its members or elements, each on one line if it is short enough.
    var lines: [String] {
        var lines: [String] = []
        append(to: &lines, indent: 0, prefix: "", suffix: "")
        return lines
    }

    /// The value in a form that allows comparison as text: keys sorted, whole numbers without a
    /// fraction.
    var normalised: TestValue {
        switch self {
        case .number(let text):
            let parts = text.split(separator: ".")
            let isWhole = parts.count == 2 && parts[1].utf8.allSatisfy { $0 == 0x30 }
            return .number(isWhole ? String(parts[0]) : text)
        case .list(let values): return .list(values.map(\.normalised))
        case .object(let pairs):
            return .object(
                pairs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.normalised) }
            )
        default: return self
        }
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
        let space = String(repeating: " ", count: indent)
        let compact = compactText
        let isShort = indent > 0 && compact.utf8.count <= TestValue.width
        switch self {
        case .list(let values) where !values.isEmpty && !isShort:
            lines.append(space + prefix + "[")
            for (index, value) in values.enumerated() {
                let comma = index == values.count - 1 ? "" : ","
                value.append(to: &lines, indent: indent + 2, prefix: "", suffix: comma)
            }
            lines.append(space + "]" + suffix)
        case .object(let pairs) where !pairs.isEmpty && !isShort:
            lines.append(space + prefix + "{")
            for (index, pair) in pairs.enumerated() {
                let comma = index == pairs.count - 1 ? "" : ","
                let key = TestValue.text(pair.key).compactText + ": "
                pair.value.append(to: &lines, indent: indent + 2, prefix: key, suffix: comma)
            }
            lines.append(space + "}" + suffix)
        default: lines.append(space + prefix + compact + suffix)
        }
    }
}
