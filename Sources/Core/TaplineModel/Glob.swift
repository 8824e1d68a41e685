// SPDX-License-Identifier: MIT

/// A pattern such as `*.shop.test`, which must match a whole text.
///
/// `*` matches any number of bytes, including `.` and `/`; `?` matches one byte; everything else
/// matches itself.
public struct Glob: Sendable, Hashable {
    /// The pattern as written.
    public let pattern: String
    /// The pattern's bytes; in lower case if case is ignored.
    private let bytes: [UInt8]
    /// The length of the part before the first `*`, or of the whole pattern.
    private let headCount: Int
    /// The length of the part after the last `*`; `nil` if there is none.
    private let tailCount: Int?
    private let ignoresCase: Bool

    /// Creates a pattern; with `ignoringCase`, the case of ASCII letters is ignored.
    public init(_ pattern: String, ignoringCase: Bool = false) {
        self.pattern = pattern
        ignoresCase = ignoringCase
        bytes = ignoringCase ? pattern.utf8.map(\.asciiLowercased) : Array(pattern.utf8)
        headCount = bytes.firstIndex(of: .ascii("*")) ?? bytes.count
        tailCount = bytes.lastIndex(of: .ascii("*")).map { [count = bytes.count] in count - 1 - $0 }
    }

    /// Whether the pattern matches the whole text.
    ///
    /// Takes linear time with one `*`, and at most the product of both lengths with more.
    public func matches(_ text: Span<UInt8>) -> Bool {
        guard let tailCount else {
            return text.count == headCount && agrees(text, at: 0, with: 0..<headCount)
        }
        guard text.count >= headCount + tailCount,
            agrees(text, at: text.count - tailCount, with: bytes.count - tailCount..<bytes.count),
            agrees(text, at: 0, with: 0..<headCount)
        else { return false }
        return matchesMiddle(
            text.extracting(headCount..<text.count - tailCount),
            bytes.span.extracting(headCount..<bytes.count - tailCount)
        )
    }

    /// Whether the pattern matches the whole text.
    public func matches(_ text: String) -> Bool { matches(text.utf8.span) }

    /// Whether the text contains a part of the pattern without `*` at a position.
    private func agrees(_ text: Span<UInt8>, at start: Int, with part: Range<Int>) -> Bool {
        for index in part where !isEqual(text[start + index - part.lowerBound], bytes[index]) {
            return false
        }
        return true
    }

    private func isEqual(_ byte: UInt8, _ wanted: UInt8) -> Bool {
        wanted == (ignoresCase ? byte.asciiLowercased : byte) || wanted == .ascii("?")
    }

    /// Matches the text between head and tail with a pattern that begins and ends with `*`.
    private func matchesMiddle(_ text: Span<UInt8>, _ pattern: Span<UInt8>) -> Bool {
        guard pattern.count > 1 else { return true }
        // The position of the last `*`, and up to where it has been tried.
        var star = 0
        var retry = 0
        var position = 1
        var index = 0
        while index < text.count {
            if position < pattern.count, pattern[position] == .ascii("*") {
                if position == pattern.count - 1 { return true }
                star = position
                retry = index
                position += 1
            } else if position < pattern.count, isEqual(text[index], pattern[position]) {
                position += 1
                index += 1
            } else {
                retry += 1
                position = star + 1
                index = retry
            }
        }
        while position < pattern.count, pattern[position] == .ascii("*") { position += 1 }
        return position == pattern.count
    }
}
