// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Fits edits into JSON so that it stays valid: an edit within a string stays in it, and any other
/// edited value becomes a string.
///
/// **Limits**: time is linear.
struct JSONEditFitter {
    private var placed = EditList()
    /// The last value or member name that was read; including its quotes, if it has any.
    private var token = 0..<0
    private var isString = false
    private var position = 0

    /// Returns the edits of a text, fitted into it; their replacements are written for JSON
    /// strings.
    static func placed(_ edits: EditList, in text: Span<UInt8>) -> EditList {
        var placer = JSONEditFitter()
        placer.position = JSONText.start(text, 0..<text.count)
        edits.forEach { range, replacement, rule in
            placer.place(range, replacement, rule, text)
        }
        placer.placed.addOthers(of: edits)
        return placer.placed
    }

    private mutating func place(
        _ range: Range<Int>,
        _ replacement: Span<UInt8>,
        _ rule: UInt32,
        _ text: Span<UInt8>
    ) {
        while true {
            while token.upperBound <= range.lowerBound {
                guard next(text) else {
                    // From here on, the text is not JSON.
                    placed.add(range, replacement, rule)
                    return
                }
            }
            guard token.lowerBound < range.upperBound else { return }
            if isString {
                let content = token.lowerBound + 1..<max(token.upperBound - 1, token.lowerBound + 1)
                let part = range.clamped(to: content)
                if !part.isEmpty { placed.add(part, replacement, rule) }
            } else if placed.end < token.upperBound {
                var value: [UInt8] = [.ascii("\"")]
                value.append(copying: replacement)
                value.append(.ascii("\""))
                placed.add(token, value.span, rule)
            }
            guard token.upperBound < range.upperBound else { return }
            guard next(text) else { return }
        }
    }

    /// Reads the next token that is not punctuation.
    private mutating func next(_ text: Span<UInt8>) -> Bool {
        while position < text.count {
            switch text[position] {
            case .ascii("\""):
                guard let (end, _) = JSONText.endOfString(text, position, text.count) else {
                    return false
                }
                token = position..<end
                isString = true
                position = end
                return true
            case .ascii("{"), .ascii("}"), .ascii("["), .ascii("]"), .ascii(":"), .ascii(","), 0x20,
                0x0A, 0x0D, 0x09, 0x1E:
                position += 1
            default:
                guard let end = JSONText.endOfScalar(text, position, text.count) else {
                    return false
                }
                token = position..<end
                isString = false
                position = end
                return true
            }
        }
        return false
    }
}
