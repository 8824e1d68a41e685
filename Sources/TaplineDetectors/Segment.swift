// SPDX-License-Identifier: MIT

/// A part of a form: bytes that stand there as they are, or a run of bytes of a set.
struct Segment: Sendable, ExpressibleByStringLiteral {
    enum Content: Sendable {
        case literal([UInt8])
        case run(ByteSet, Int, Int)
    }

    let content: Content

    init(stringLiteral text: String) {
        content = .literal(Array(text.utf8))
    }

    /// Exactly so many bytes of a set.
    init(_ set: ByteSet, _ count: Int) {
        content = .run(set, count, count)
    }

    /// At least and at most so many bytes of a set.
    init(_ set: ByteSet, _ counts: ClosedRange<Int>) {
        content = .run(set, counts.lowerBound, counts.upperBound)
    }

    /// Five groups of hexadecimal digits (RFC 9562).
    static let uuid = [
        Segment(.anyHex, 8), "-", Segment(.anyHex, 4), "-", Segment(.anyHex, 4), "-",
        Segment(.anyHex, 4), "-", Segment(.anyHex, 12),
    ]

    /// The segment as a regular expression.
    var text: String {
        switch content {
        case .literal(let bytes):
            return String(decoding: bytes, as: UTF8.self).escapedForForm
        case .run(let set, let least, let most):
            let counts = least == most ? "\(least)" : "\(least),\(most)"
            return "[\(set.name)]{\(counts)}"
        }
    }

    /// Where the segment ends that begins at a position, or `nil` if none does.
    ///
    /// As many bytes are taken as there may be; what follows has to do with the rest.
    @inline(__always)
    func end(in text: Span<UInt8>, from start: Int) -> Int? {
        switch content {
        case .literal(let bytes):
            guard start + bytes.count <= text.count else { return nil }
            for index in bytes.indices where text[start + index] != bytes[index] { return nil }
            return start + bytes.count
        case .run(let set, let least, let most):
            let limit = min(text.count, start + most)
            var end = start
            while end < limit, set.contains(text[end]) { end += 1 }
            return end - start >= least ? end : nil
        }
    }

    /// Whether a byte could go on with what the segment ends with.
    func mayGoOn(with byte: UInt8) -> Bool {
        switch content {
        case .literal: false
        case .run(let set, _, _): set.contains(byte)
        }
    }
}

extension [Segment] {
    /// Where the segments end that begin at a position, at the border of a word.
    func end(in text: Span<UInt8>, from start: Int) -> Int? {
        var position = start
        for segment in self {
            guard let end = segment.end(in: text, from: position) else { return nil }
            position = end
        }
        guard position < text.count else { return position }
        let next = text[position]
        if ByteSet.word.contains(next) || (last?.mayGoOn(with: next) ?? false) { return nil }
        return position
    }
}

extension String {
    /// The text with the characters that mean something in a regular expression escaped.
    var escapedForForm: String {
        reduce(into: "") { text, character in
            if ".$+*?()[]{}|^\\".contains(character) { text += "\\" }
            text.append(character)
        }
    }
}
