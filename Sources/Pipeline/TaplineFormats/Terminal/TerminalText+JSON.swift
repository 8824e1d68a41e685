// SPDX-License-Identifier: MIT

internal import TaplineModel

extension TerminalText {
    /// Shows lines of valid JSON; characters that a terminal might interpret are escaped as in
    /// JSON.
    package mutating func showJSON(_ json: Span<UInt8>) {
        var index = 0
        while index < json.count {
            let scalar = UTF8Scalar(json, at: index)
            if let value = scalar.value, value.isUnsafeOnTerminal, value.value != 0x0A {
                putJSONEscape(value)
            } else {
                bytes.append(copying: json.extracting(index..<index + scalar.length))
            }
            index += scalar.length
        }
    }

    /// Shows the content of a string as in JSON, without the quotes.
    ///
    /// Quotes, backslashes and characters that a terminal might interpret are escaped.
    package mutating func showJSONString(_ text: Span<UInt8>) {
        var index = 0
        while index < text.count {
            let start = index
            while index < text.count, text[index].isPlainInJSON { index += 1 }
            putSafe(text.extracting(start..<index), columns: index - start)
            guard index < text.count else { return }
            let scalar = UTF8Scalar(text, at: index)
            if let value = scalar.value, value.value > 0x7F, !value.isUnsafeOnTerminal {
                putSafe(
                    text.extracting(index..<index + scalar.length),
                    columns: value.columns
                )
            } else if let value = scalar.value {
                putJSONEscape(value)
            } else {
                // Strings of parsed JSON are UTF-8; other bytes are shown as everywhere else.
                show(text.extracting(index..<index + scalar.length))
            }
            index += scalar.length
        }
    }

    /// Writes a character as an escape of JSON (RFC 8259 §7).
    private mutating func putJSONEscape(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": put("\\\"")
        case "\\": put("\\\\")
        case "\n": put("\\n")
        case "\r": put("\\r")
        case "\t": put("\\t")
        default:
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                put("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            }
        }
    }
}

extension UInt8 {
    /// Whether this is printable ASCII that JSON does not escape.
    fileprivate var isPlainInJSON: Bool {
        0x20..<0x7F ~= self && self != .ascii("\"") && self != .ascii("\\")
    }
}
