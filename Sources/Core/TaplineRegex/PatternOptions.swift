// SPDX-License-Identifier: MIT

internal import CRE2Shims

/// How a pattern is parsed, and how large it may be.
package struct PatternOptions: Sendable {
    /// The unit that a pattern treats as one character.
    package struct Encoding: Hashable, Sendable {
        let isLatin1: Bool

        /// A character is a UTF-8 code point; a byte outside valid UTF-8 matches no character.
        package static let utf8 = Encoding(isLatin1: false)

        /// Each byte is a character, in the pattern's own text as well.
        package static let bytes = Encoding(isLatin1: true)
    }

    /// Whether letters match in either case.
    package var caseInsensitive = false

    /// Whether `.` matches a line feed as well.
    package var dotMatchesNewline = false

    /// The unit that counts as one character.
    package var encoding = Encoding.utf8

    /// The maximum length of an expression, in bytes.
    package var maxTextBytes = 65_536

    /// The memory for the program and its automata, in bytes; at least 1 KiB.
    ///
    /// An expression whose program does not fit is rejected. Automata that outgrow the limit are
    /// rebuilt, which costs time but does not affect the result.
    package var maxMemoryBytes = 8 << 20

    /// The maximum number of instructions in a program; zero means that only memory limits it.
    package var maxProgramSize = 0

    /// Makes the default options.
    package init() {}

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
