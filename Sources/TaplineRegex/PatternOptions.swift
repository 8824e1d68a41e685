// SPDX-License-Identifier: MIT

internal import CRE2Shims

/// How a pattern is read, and how large it may become.
public struct PatternOptions: Sendable {
    /// What a pattern takes for one character.
    public struct Encoding: Hashable, Sendable {
        let isLatin1: Bool

        /// A character is a code point in UTF-8; a byte outside valid UTF-8 matches no character.
        public static let utf8 = Encoding(isLatin1: false)

        /// Each byte is a character of its own, and the pattern's text is taken byte by byte too.
        public static let bytes = Encoding(isLatin1: true)
    }

    /// Whether letters match in either case.
    public var caseInsensitive = false

    /// Whether `.` matches a line feed as well.
    public var dotMatchesNewline = false

    /// What counts as one character.
    public var encoding = Encoding.utf8

    /// The longest expression that is accepted, in bytes.
    public var maxTextBytes = 65_536

    /// The memory for the program and its automata, in bytes; at least 1 KiB.
    ///
    /// An expression whose program does not fit is refused; automata that outgrow it are rebuilt,
    /// which costs time and never correctness.
    public var maxMemoryBytes = 8 << 20

    /// The most instructions that a compiled program may have; zero leaves it to the memory limit.
    public var maxProgramSize = 0

    /// Makes the usual options.
    public init() {}

    var forC: tapline_re2_options {
        tapline_re2_options(
            case_insensitive: caseInsensitive,
            dot_matches_newline: dotMatchesNewline,
            latin1: encoding.isLatin1,
            max_memory: Int64(max(1_024, maxMemoryBytes)),
            max_program: Int32(clamping: max(0, maxProgramSize))
        )
    }
}
