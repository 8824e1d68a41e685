// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// How `JSONLayout` writes the content of strings.
protocol JSONStringWriter: ~Copyable {
    /// Writes a string with its quotes.
    mutating func string(_ text: Span<UInt8>, to lines: inout PrettyText)

    /// Writes what belongs below a line that just ended.
    mutating func endLine(_ level: Int, to lines: inout PrettyText)
}

/// Writes strings as they are.
struct PlainStrings: JSONStringWriter {
    func string(_ text: Span<UInt8>, to lines: inout PrettyText) {
        lines.showJSONString(text, .green, isQuoted: true)
    }

    func endLine(_ level: Int, to lines: inout PrettyText) {}
}

/// Writes a value of JSON with one member or element per line.
///
/// Not recursive, so that depth costs no stack. Numbers keep their text, and members their order.
struct JSONLayout {
    private struct List {
        /// The index of the token after the list.
        let end: Int
        let isObject: Bool
    }

    /// The level of the first line.
    private let level: Int
    private var lists: [List] = []
    /// The level of the current line.
    private var lineLevel: Int

    init(level: Int = 0) {
        self.level = level
        lineLevel = level
    }

    /// Writes the value with an index.
    mutating func write<Strings: JSONStringWriter & ~Copyable>(
        _ document: JSONDocument,
        at start: Int = 0,
        strings: inout Strings,
        to lines: inout PrettyText
    ) {
        let end = start + document.value(at: start).tokenCount
        var index = start
        var isKey = false
        lines.begin(level)
        while index < end, !lines.isDone {
            let item = document.value(at: index)
            index += 1
            if isKey {
                lines.showJSONString(item.bytes, .cyan, isQuoted: true)
                lines.put(": ")
                isKey = false
                continue
            }
            write(item, strings: &strings, to: &lines)
            if item.tokenCount > 1 {
                lists.append(List(end: index + item.tokenCount - 1, isObject: item.kind == .object))
                newLine(&strings, &lines)
            } else {
                close(at: index, &strings, &lines)
            }
            isKey = lists.last?.isObject ?? false
        }
        lines.end()
        strings.endLine(lineLevel, to: &lines)
    }

    /// Writes a scalar, an empty list, or the bracket that opens a list.
    private func write<Strings: JSONStringWriter & ~Copyable>(
        _ item: JSONValue,
        strings: inout Strings,
        to lines: inout PrettyText
    ) {
        switch item.kind {
        case .object: lines.put(item.tokenCount > 1 ? "{" : "{}")
        case .array: lines.put(item.tokenCount > 1 ? "[" : "[]")
        case .string: strings.string(item.bytes, to: &lines)
        case .null, .true, .false, .number: lines.show(item.bytes, .yellow)
        }
    }

    /// Closes the lists that end before a token, and begins the line of the next item.
    private mutating func close<Strings: JSONStringWriter & ~Copyable>(
        at index: Int,
        _ strings: inout Strings,
        _ lines: inout PrettyText
    ) {
        while let list = lists.last, index >= list.end, !lines.isDone {
            lists.removeLast()
            newLine(&strings, &lines)
            lines.put(list.isObject ? "}" : "]")
        }
        guard !lists.isEmpty else { return }
        lines.put(",")
        newLine(&strings, &lines)
    }

    private mutating func newLine<Strings: JSONStringWriter & ~Copyable>(
        _ strings: inout Strings,
        _ lines: inout PrettyText
    ) {
        lines.end()
        strings.endLine(lineLevel, to: &lines)
        lineLevel = level + lists.count
        lines.begin(lineLevel)
    }
}
