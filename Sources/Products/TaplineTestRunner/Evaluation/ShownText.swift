// SPDX-License-Identifier: MIT

/// Makes texts safe for a terminal: on one line, limited in length, without control characters.
enum ShownText {
    /// The most characters of a value that are shown.
    static let limit = 160

    /// Returns the text with its control characters and bidirectional marks escaped.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                switch scalar.value {
                case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069,
                    0xFEFF:
                    result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Cuts two long texts to the same window, so that the first difference is visible.
    static func pair(_ first: String, _ second: String) -> (String, String) {
        let (left, right) = (Array(first.utf8), Array(second.utf8))
        guard max(left.count, right.count) > limit else { return (first, second) }
        var same = 0
        while same < left.count, same < right.count, left[same] == right[same] { same += 1 }
        var start = same > limit / 2 ? same - limit / 4 : 0
        // Do not start in the middle of a character (RFC 3629 §3).
        while start > 0, left[start] & 0xC0 == 0x80 { start -= 1 }
        return (window(left, from: start), window(right, from: start))
    }

    /// Limits the length of a text.
    static func bounded(_ text: String) -> String { window(Array(text.utf8.prefix(1024)), from: 0) }

    private static func window(_ text: [UInt8], from start: Int) -> String {
        let bytes = text[min(start, text.count)..<min(start + 4 * limit + 4, text.count)]
        let shown = String(decoding: bytes, as: UTF8.self).prefix(limit)
        let isCut = start + shown.utf8.count < text.count
        return (start > 0 ? "…" : "") + shown + (isCut ? "…" : "")
    }
}
