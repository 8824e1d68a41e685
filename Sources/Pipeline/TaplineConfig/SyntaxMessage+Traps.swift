// SPDX-License-Identifier: MIT

internal import TaplineYAML

extension SyntaxMessage {
    /// Messages for tabs where YAML requires spaces (YAML 1.2 §6.1).
    var tabs: Text? {
        let isTab = byte(at: offset) == 0x09
        let problems = [
            "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected",
        ]
        guard problems.contains(error.problem) || (isTab && error.problem == cannotStart) else {
            return nil
        }
        return (
            point, "there is a tab in the indentation; expected spaces",
            "replace each tab with spaces"
        )
    }

    /// Messages for `*` and `&` in unquoted text, as in `*.shop.test` and `[$.a[*]]`, which YAML
    /// reads as aliases and anchors.
    var aliases: Text? {
        guard error.problem == "did not find expected alphabetic or numeric character",
            let start = contextOffset
        else { return nil }
        if error.context == "while scanning an anchor" {
            return (
                start..<(start + 1), "'&' begins an anchor; expected its name",
                "a text that begins with '&' needs quotes"
            )
        }
        if let trap = brackets(before: start) { return trap }
        let end = plainEnd(from: start)
        return (
            start..<end, "'*' begins an alias; expected the name of an anchor",
            "a text that begins with '*' needs quotes: '\(text(start..<end))'"
        )
    }

    /// Returns a message for a `[` or `{` inside a word, which YAML reads as a new list or mapping.
    private func brackets(before index: Int) -> Text? {
        let word = word(around: index)
        guard
            let bracket = (word.lowerBound..<min(index + 1, word.upperBound)).last(where: { place in
                (bytes[place] == UInt8(ascii: "[") || bytes[place] == UInt8(ascii: "{"))
                    && place > word.lowerBound && Self.isWordByte(bytes[place - 1])
            })
        else { return nil }
        var start = bracket
        while start > word.lowerBound, !Self.isFlowByte(bytes[start - 1]) {
            start -= 1
        }
        let end = balancedEnd(from: start)
        let name = bytes[bracket] == UInt8(ascii: "[") ? "list" : "mapping"
        return (
            start..<end,
            "\(quoted(text(bracket..<(bracket + 1)))) begins a \(name) in YAML; found it inside text",
            "put the text in quotes: '\(text(start..<end))'"
        )
    }

    /// Returns the end of an unquoted text with balanced brackets.
    private func balancedEnd(from start: Int) -> Int {
        var open = 0
        var index = start
        while let byte = byte(at: index), !isBlank(index), index - start < 80 {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard open > 0 else { return index }
                open -= 1
            case UInt8(ascii: ","):
                guard open > 0 else { return index }
            default: break
            }
            index += 1
        }
        return index
    }

    /// Returns the end of an unquoted text without brackets.
    private func plainEnd(from start: Int) -> Int {
        var index = start
        while let byte = byte(at: index), !isBlank(index), index - start < 80,
            byte != UInt8(ascii: ","), byte != UInt8(ascii: "]"), byte != UInt8(ascii: "}")
        {
            index += 1
        }
        return max(index, min(start + 1, bytes.count))
    }

    private static func isFlowByte(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ",")].contains(byte)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: ":") && !isFlowByte(byte)
    }

    var cannotStart: String { "found character that cannot start any token" }

    /// Messages for characters that cannot begin an unquoted text.
    var characters: Text? {
        guard error.problem == cannotStart, byte(at: offset) != nil else { return nil }
        let word = offset..<max(plainEnd(from: offset), offset + 1)
        return (
            point, "\(quoted(text(point))) cannot begin a value without quotes",
            "put the text in quotes: '\(text(word))'"
        )
    }

    /// Messages for lists and mappings in brackets that are unclosed or malformed.
    var flow: Text? {
        let isList = error.problem == "did not find expected ',' or ']'"
        guard isList || error.problem == "did not find expected ',' or '}'",
            let start = contextOffset
        else {
            return stray
        }
        if let next = byte(at: offset),
            next == UInt8(ascii: "[") || next == UInt8(ascii: "{"),
            let trap = brackets(before: offset)
        {
            return trap
        }
        let (name, close) = isList ? ("list", "']'") : ("mapping", "'}'")
        if offset >= bytes.count || line(of: offset) > line(of: start) {
            return (
                start..<(start + 1),
                "the \(name) that begins here is not closed; expected ',' or \(close)", nil
            )
        }
        return (
            point,
            "the \(name) continues without a comma; found \(quoted(text(point))), "
                + "expected ',' or \(close)", nil
        )
    }

    /// Messages for a closing bracket or comma without a value, and for the end of the file inside
    /// brackets.
    private var stray: Text? {
        guard error.problem == "did not find expected node content" else { return nil }
        guard let byte = byte(at: offset) else {
            return (
                point, "the file ends inside brackets; expected a value or a closing bracket", nil
            )
        }
        if let dash { return dash }
        guard [UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ",")].contains(byte) else {
            return (point, "there is no value; expected one", nil)
        }
        return (
            point, "there is no value; found \(quoted(text(point))), expected a value",
            "a text that begins with \(quoted(text(point))) needs quotes"
        )
    }
}
