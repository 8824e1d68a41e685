// SPDX-License-Identifier: MIT

/// A part of a form: literal bytes, or a run of bytes of a set.
struct Segment: Sendable, ExpressibleByStringLiteral {
    enum Content: Sendable {
        case literal([UInt8])
        case run(ByteSet, Int, Int)
    }

    let content: Content

    init(stringLiteral text: String) {
        content = .literal(Array(text.utf8))
    }

    /// Makes a run of an exact number of bytes of a set.
    init(_ set: ByteSet, _ count: Int) {
        content = .run(set, count, count)
    }

    /// Makes a run with a minimum and a maximum number of bytes of a set.
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

    /// Returns the end of the segment that begins at a position; `nil` if none does.
    ///
    /// A run takes as many bytes as possible, without backtracking.
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

    /// Returns whether a byte could extend the segment.
    func mayGoOn(with byte: UInt8) -> Bool {
        switch content {
        case .literal: false
        case .run(let set, _, _): set.contains(byte)
        }
    }
}

extension [Segment] {
    /// Returns the end of the segments that begin at a position; `nil` unless a word ends there.
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
    /// The text with the special characters of regular expressions escaped.
    var escapedForForm: String {
        reduce(into: "") { text, character in
            if ".$+*?()[]{}|^\\".contains(character) { text += "\\" }
            text.append(character)
        }
    }
}
