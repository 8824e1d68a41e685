// SPDX-License-Identifier: MIT

package import TaplineConfig

/// One expectation that an outcome does not meet.
package struct Mismatch: Sendable {
    /// The place of the expectation in the test file.
    package let location: SourceLocation
    /// What is wrong, on one line.
    package let message: String
    /// The expected value; `nil` if the message contains it.
    package var expected: String?
    /// The value found; `nil` if the message contains it.
    package var found: String?
    /// The lines that differ, after `-` (expected), `+` (found) or a space (both).
    package var difference: [String] = []
    /// The exchange that is meant, if a step has several.
    package var subject: String?
    /// A hint that may help.
    package var help: String?

    init(_ location: SourceLocation, _ message: String) {
        self.location = location
        self.message = message
    }

    /// Creates a mismatch of two values: on one line each, or line by line if they are long.
    init(
        _ location: SourceLocation,
        _ message: String,
        expected: TestValue,
        found: TestValue
    ) {
        self.init(location, message)
        let (expected, found) = (expected.normalised, found.normalised)
        let isLong = expected.isLong || found.isLong
        let lines = (expected.textLines(isLong), found.textLines(isLong))
        if lines.0.count > 1 || lines.1.count > 1 {
            difference = LineDifference(expected: lines.0, found: lines.1).lines
            return
        }
        let pair = ShownText.pair(expected.compactText, found.compactText)
        self.expected = ShownText.escaped(pair.0)
        self.found = ShownText.escaped(pair.1)
        help = Mismatch.help(expected, found)
    }

    /// Returns a hint if a text and a number differ only by their quotes.
    private static func help(_ expected: TestValue, _ found: TestValue) -> String? {
        switch (expected, found) {
        case (.number(let number), .text(let text)) where number == text:
            "put it in quotes if text is meant"
        case (.text(let text), .number(let number)) where number == text:
            "remove the quotes if you mean a number"
        case (.bool(let flag), .text(let text)) where String(flag) == text:
            "put it in quotes if text is meant"
        default: nil
        }
    }
}

extension TestValue {
    /// Whether the value is too long to be shown next to another on a line.
    fileprivate var isLong: Bool {
        switch self {
        case .text(let text): text.utf8.contains(0x0A)
        case .list, .object: compactText.utf8.count > 60
        default: false
        }
    }

    /// The lines that are compared: the lines of a text, or those of JSON if it is long.
    fileprivate func textLines(_ isLong: Bool) -> [String] {
        switch self {
        case .text(let text) where isLong:
            text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        case .list where isLong, .object where isLong: lines
        default: [compactText]
        }
    }
}
