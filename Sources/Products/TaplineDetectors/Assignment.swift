// SPDX-License-Identifier: MIT

internal import TaplineMultiPattern

/// A form of values that only their name identifies as secret.
///
/// `HEROKU_API_KEY=…`, `"heroku-key": "…"` and `heroku_key => '…'` all match: a keyword, the rest
/// of the name, quotes and blanks around one of `= : > ,`, and the value.
final class Assignment: Sendable {
    /// The keyword to find, in any case.
    let keyword: LiteralSet.Literal
    /// The form of the value.
    private let value: [Segment]
    /// The minimum entropy of the value, in bits per byte.
    private let minEntropy: Double

    /// Makes a form of a keyword and a value.
    init(_ keyword: String, _ value: [Segment], entropy: Double = 0) {
        self.keyword = LiteralSet.Literal(keyword, ignoresCase: true)
        self.value = value
        minEntropy = entropy
    }

    /// Returns the value after a keyword; `nil` if the text after it does not have the form.
    func range(in text: Span<UInt8>, keyword: Range<Int>) -> Range<Int>? {
        let name = text.end(of: .nameRest, from: keyword.upperBound, limit: 40)
        let start = text.end(of: .assignment, from: name, limit: 16)
        var assigns = false
        for position in name..<start where ByteSet.assigns.contains(text[position]) {
            assigns = true
        }
        guard assigns, let end = value.end(in: text, from: start) else { return nil }
        let bits = minEntropy > 0 ? Entropy.bitsPerByte(of: text.extracting(start..<end)) : 0
        return bits >= minEntropy ? start..<end : nil
    }

    /// The form, written roughly as a regular expression.
    var text: String {
        String(decoding: keyword.bytes, as: UTF8.self).escapedForForm + " … = "
            + value.map(\.text).joined()
    }
}

extension ByteSet {
    fileprivate static let nameRest = ByteSet("0-9A-Za-z_.-") { dotted.contains($0) }
    fileprivate static let assigns = ByteSet("=:>,") { byte in
        byte == 0x3D || byte == 0x3A || byte == 0x3E || byte == 0x2C
    }
    /// Blanks, quotes, the backslash before a quote, brackets and assignment characters.
    fileprivate static let assignment = ByteSet(" \t\"'`\\[(=:>,") { byte in
        assigns.contains(byte) || byte == 0x20 || byte == 0x09 || byte == 0x22 || byte == 0x27
            || byte == 0x60 || byte == 0x5C || byte == 0x5B || byte == 0x28
    }
}
