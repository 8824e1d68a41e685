// SPDX-License-Identifier: MIT

/// The source line of a message, with carets below the range that is meant.
///
/// Tabs become spaces, wide characters take two columns, control characters are escaped, and a long
/// line is cut around the carets, so the carets are correct on every terminal. Values of keys with
/// secret-like names are masked.
struct ExcerptRenderer {
    /// The maximum number of columns shown.
    static let width = 96
    /// The number of bytes considered on each side of the location.
    static let reach = 1024

    let location: SourceLocation

    init(_ location: SourceLocation) {
        self.location = location
    }

    /// The two output lines: the numbered source line and the carets.
    var lines: [String] {
        guard !location.source.bytes.isEmpty else { return [] }
        let line = SecretNames.hidingValues(in: location.source.line(around: location.byteOffset))
        let start = min(max(location.byteOffset, line.startIndex), line.endIndex)
        let end = min(start + min(max(location.length, 0), Self.reach), line.endIndex)
        let gutter = location.source.hasLines ? Self.padded(String(location.line)) : "     "

        var before = Cells(line[..<start].suffix(Self.reach), column: 0)
        let meant = Cells(line[start..<end], column: before.width)
        let after = Cells(line[end...].prefix(Self.reach), column: before.width + meant.width)

        let markWidth = min(max(meant.width, 1), Self.width / 2)
        let room = Self.width - markWidth
        let keepBefore = max(room / 2, room - after.width)
        var text = ""
        var indent = 0
        if before.width > keepBefore || start - line.startIndex > Self.reach {
            before = before.suffix(width: keepBefore - 1)
            text = "…"
            indent = 1
        }
        indent += before.width
        text += before.text
        let tail = meant + after
        let keepAfter = Self.width - indent
        text += tail.width > keepAfter ? tail.prefix(width: keepAfter - 1).text + "…" : tail.text

        let carets = "^" + String(repeating: "~", count: markWidth - 1)
        return [
            Self.trimmed("\(gutter) | \(text)"),
            "      | " + String(repeating: " ", count: indent) + carets,
        ]
    }

    private static func padded(_ number: String) -> String {
        String(repeating: " ", count: max(0, 5 - number.utf8.count)) + number
    }

    private static func trimmed(_ text: String) -> String {
        var text = Substring(text)
        while text.last == " " {
            text.removeLast()
        }
        return String(text)
    }
}
