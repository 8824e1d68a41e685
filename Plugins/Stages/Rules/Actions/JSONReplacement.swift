// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery

/// Replaces values in a JSON document; all other bytes stay as they are.
enum JSONReplacement {
    /// Returns the document with the values at a path replaced; `nil` if there are none, or if the
    /// content is not JSON.
    ///
    /// - Throws: `BodyTooLarge` if the document would become too large.
    static func replace(
        _ path: JSONPath,
        with value: [UInt8],
        in content: [UInt8]
    ) throws(BodyTooLarge) -> [UInt8]? {
        let ranges = ranges(of: path.steps[...], in: content)
        guard !ranges.isEmpty else { return nil }
        var output: [UInt8] = []
        var position = 0
        for range in ranges {
            try output.append(content[position..<range.lowerBound], value)
            position = range.upperBound
        }
        try output.append(content[position...], [])
        return output
    }

    /// The ranges of the values at a path, in order and without overlap.
    static func ranges(of steps: ArraySlice<JSONPath.Step>, in content: [UInt8]) -> [Range<Int>] {
        var parser = JSONParser(surrogates: .replace)
        var ranges: [Range<Int>] = []
        do throws(JSONError) {
            let document = try parser.parse(content.span)
            add(document.root, Array(steps), 0, in: content.span, to: &ranges)
        } catch {
            return []
        }
        return ranges
    }

    private static func add(
        _ value: JSONValue,
        _ steps: [JSONPath.Step],
        _ position: Int,
        in content: Span<UInt8>,
        to ranges: inout [Range<Int>]
    ) {
        guard position < steps.count else {
            ranges.append(range(of: value, in: content))
            return
        }
        var members = value.members
        while let member = members.next() {
            switch steps[position] {
            case .member(let name) where member.key.bytes.equals(name.span): break
            case .every: break
            default: continue
            }
            add(member.value, steps, position + 1, in: content, to: &ranges)
        }
        var elements = value.elements
        var index = 0
        while let element = elements.next() {
            if steps[position] == .every || steps[position] == .element(index) {
                add(element, steps, position + 1, in: content, to: &ranges)
            }
            index += 1
        }
    }

    /// The bytes of a value as written, with the quotes of a string.
    static func range(of value: JSONValue, in content: Span<UInt8>) -> Range<Int> {
        guard value.kind == .string else {
            return value.offset..<value.offset + value.bytes.count
        }
        var end = value.offset
        while end < content.count, content[end] != .ascii("\"") {
            end += content[end] == .ascii("\\") ? 2 : 1
        }
        return value.offset - 1..<min(end + 1, content.count)
    }
}
