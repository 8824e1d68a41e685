// SPDX-License-Identifier: MIT

/// A pattern of the kind `*.shop.test`: `*` stands for any bytes, also none, and crosses `.` and
/// `/`; `?` stands for one byte; everything else for itself. It matches the whole text or nothing.
public struct Glob: Sendable, Hashable {
    /// The pattern as written.
    public let pattern: String
    private let bytes: [UInt8]
    private let ignoresCase: Bool

    /// A pattern; with `ignoringCase`, ASCII letters of either case are equal.
    public init(_ pattern: String, ignoringCase: Bool = false) {
        self.pattern = pattern
        ignoresCase = ignoringCase
        bytes = ignoringCase ? pattern.utf8.map(\.asciiLowercased) : Array(pattern.utf8)
    }

    /// Whether the pattern matches the whole text. Time is at most the product of both lengths.
    public func matches(_ text: Span<UInt8>) -> Bool {
        let pattern = bytes.span
        var position = 0
        var index = 0
        // Where the last `*` stood, and up to where it has been tried.
        var star: Int?
        var retry = 0
        while index < text.count {
            let byte = ignoresCase ? text[index].asciiLowercased : text[index]
            if position < pattern.count, pattern[position] == .ascii("*") {
                star = position
                retry = index
                position += 1
            } else if position < pattern.count,
                pattern[position] == byte || pattern[position] == .ascii("?")
            {
                position += 1
                index += 1
            } else if let last = star {
                retry += 1
                position = last + 1
                index = retry
            } else {
                return false
            }
        }
        while position < pattern.count, pattern[position] == .ascii("*") { position += 1 }
        return position == pattern.count
    }

    /// Whether the pattern matches the whole text.
    public func matches(_ text: String) -> Bool { matches(text.utf8.span) }
}
