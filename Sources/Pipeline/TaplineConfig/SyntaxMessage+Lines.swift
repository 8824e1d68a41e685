// SPDX-License-Identifier: MIT

internal import TaplineYAML

extension SyntaxMessage {
    /// Messages for unclosed quotes, text after closing quotes, and unknown escapes.
    var quotes: Text? {
        switch error.problem {
        case "found unexpected end of stream", "found unexpected document indicator":
            guard error.context == "while scanning a quoted scalar", let start = contextOffset
            else { return nil }
            return (
                start..<(start + 1),
                "the text in quotes that begins here is not closed", nil
            )
        case "found unknown escape character":
            let end = min(offset + 2, bytes.count)
            return (
                offset..<end,
                "\(quoted(text(offset..<end))) is not a valid escape in double quotes",
                "write '\\\\' for a backslash, or use single quotes"
            )
        case "did not find expected hexdecimal number",
            "found invalid Unicode character escape code":
            return (point, "the escape is incomplete or names no character", nil)
        case "did not find expected key", "did not find expected '-' indicator":
            return textAfterQuotes
        default:
            return nil
        }
    }

    /// Values that end before the end of their line, as in `when: "a" == b` and `name: [a]b`.
    private var textAfterQuotes: Text? {
        var last = offset - 1
        while byte(at: last) == 0x20 {
            last -= 1
        }
        guard let closing = byte(at: last), last >= firstText(offset), !isBlank(offset) else {
            return nil
        }
        switch closing {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return (
                point, "text follows the closing quote; expected the end of the line",
                "put the whole value in quotes of the other kind"
            )
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return (
                point, "text follows the closing bracket; expected the end of the line",
                "put the whole value in quotes, unless it is a list or mapping"
            )
        default:
            return nil
        }
    }

    /// Messages for lines that do not match the lines around them.
    var lines: Text? {
        switch error.problem {
        case "mapping values are not allowed in this context":
            return secondColon
        case "block sequence entries are not allowed in this context":
            if let dash { return dash }
            return (
                point, "a list cannot begin after text on the same line",
                "begin the list on the next line, or put the text in quotes"
            )
        case "could not find expected ':'":
            let start = contextOffset ?? offset
            let end = lineEnd(start)
            return (
                start..<end, "there is no ':' after this text; expected 'key: value'", nil
            )
        case "did not find expected key", "did not find expected '-' indicator":
            return indentation
        case "found unexpected ':'":
            return (
                point, "a ':' is not allowed here; expected a comma or a closing bracket",
                "put text that contains ':' in quotes"
            )
        default:
            return nil
        }
    }

    /// A single `-`, which means standard input or output in options.
    var dash: Text? {
        var next = offset + 1
        while byte(at: next) == 0x20 {
            next += 1
        }
        let isAlone =
            switch byte(at: next) {
            case nil, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): true
            default: false
            }
        guard byte(at: offset) == UInt8(ascii: "-"), isAlone else { return nil }
        return (
            point, "'-' begins a list; expected a value",
            "put it in quotes to use it as a value: '-'"
        )
    }

    private var secondColon: Text {
        let key = firstText(offset)
        let start = byte(at: key) == UInt8(ascii: "-") ? key + 1 : key
        let hasColon = (start..<max(start, offset)).contains { index in
            bytes[index] == UInt8(ascii: ":") && isBlank(index + 1)
        }
        if hasColon {
            return (
                point, "a second ': ' in one value; expected text without it",
                "put text that contains ': ' in quotes"
            )
        }
        return (
            key..<offset,
            "this key continues the text of the line above; expected a line without ':'",
            bareElement(above: key).map { name in
                "write '- \(name): {}' above, and begin this key below '\(name)'"
            } ?? "indent it like the keys above, or remove the value from the line above"
        )
    }

    /// The word of the list element on the line above; `nil` if that is another line.
    private func bareElement(above key: Int) -> String? {
        var end = lineStart(key)
        while end > 0, isBlank(end - 1) || bytes[end - 1] == 0x0A { end -= 1 }
        guard end > 0 else { return nil }
        let first = firstText(end - 1)
        guard byte(at: first) == UInt8(ascii: "-"), byte(at: first + 1) == 0x20 else { return nil }
        var start = first + 1
        while start < end, byte(at: start) == 0x20 { start += 1 }
        let isWord = bytes[start..<end].allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        return isWord && start < end ? text(start..<end) : nil
    }

    private var indentation: Text? {
        guard let start = contextOffset else { return nil }
        let first = firstText(offset)
        let found = first - lineStart(offset)
        let expected = start - lineStart(start)
        if found != expected, first == offset {
            return (
                point,
                "the indentation matches no line above; found \(Self.spaces(found)), expected \(Self.spaces(expected)) "
                    + "as in line \(line(of: start))", nil
            )
        }
        if error.problem == "did not find expected '-' indicator" {
            return (
                point, "a list ends here; expected '-' as in line \(line(of: start))",
                "begin the line with '- ', or indent it as part of the element above"
            )
        }
        return (point, "this is not a key; expected 'key: value'", nil)
    }

    private static func spaces(_ count: Int) -> String {
        Counted.text(count, "space")
    }

    private func lineEnd(_ index: Int) -> Int {
        var end = index
        while let byte = byte(at: end), byte != 0x0A, byte != 0x0D {
            end += 1
        }
        return end
    }
}
