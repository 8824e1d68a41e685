// SPDX-License-Identifier: MIT

/// A pattern of the kind `*.shop.test`, which matches a whole text or nothing.
///
/// `*` stands for any bytes, also none, and crosses `.` and `/`; `?` stands for one byte;
/// everything else for itself.
public struct Glob: Sendable, Hashable {
    /// The pattern as written.
    public let pattern: String
    /// The pattern's bytes; small letters where case is ignored.
    private let bytes: [UInt8]
    /// What stands before the first `*`, or the whole pattern.
    private let headCount: Int
    /// What stands after the last `*`; `nil` if there is none.
    private let tailCount: Int?
    private let ignoresCase: Bool

    /// A pattern; with `ignoringCase`, ASCII letters of either case are equal.
    public init(_ pattern: String, ignoringCase: Bool = false) {
        self.pattern = pattern
        ignoresCase = ignoringCase
        bytes = ignoringCase ? pattern.utf8.map(\.asciiLowercased) : Array(pattern.utf8)
        headCount = bytes.firstIndex(of: .ascii("*")) ?? bytes.count
        tailCount = bytes.lastIndex(of: .ascii("*")).map { [count = bytes.count] in count - 1 - $0 }
    }

    /// Whether the pattern matches the whole text.
    ///
    /// Time is linear for one `*`, and at most the product of both lengths for more.
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

    /// Whether the text holds a part of the pattern, which has no `*`, at a position.
    private func agrees(_ text: Span<UInt8>, at start: Int, with part: Range<Int>) -> Bool {
        for index in part where !isEqual(text[start + index - part.lowerBound], bytes[index]) {
            return false
        }
        return true
    }

    private func isEqual(_ byte: UInt8, _ wanted: UInt8) -> Bool {
        wanted == (ignoresCase ? byte.asciiLowercased : byte) || wanted == .ascii("?")
    }

    /// Matches what lies between head and tail with a pattern that begins and ends with `*`.
    private func matchesMiddle(_ text: Span<UInt8>, _ pattern: Span<UInt8>) -> Bool {
        guard pattern.count > 1 else { return true }
        // Where the last `*` stood, and up to where it has been tried.
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
