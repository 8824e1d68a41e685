// SPDX-License-Identifier: MIT

internal import CRE2Shims

/// The reason why a text cannot be used as a regular expression.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// RE2's message, followed by the offending part of the expression.
    package let message: String

    /// The UTF-8 offset of the offending part in the expression, or `nil` if it is ambiguous.
    package let offset: Int?

    /// The length of the offending part in bytes; zero if unknown.
    package let length: Int

    /// The message alone; a caller that knows the file adds the position.
    package var description: String {
        message
    }

    init(message: String, offset: Int? = nil, length: Int = 0) {
        self.message = message
        self.offset = offset
        self.length = length
    }

    /// Converts the error of the C interface.
    ///
    /// RE2 reports the offending part but not its position, so the offset is set only if that part
    /// occurs exactly once.
    init(_ failure: tapline_re2_error, text: String, options: PatternOptions) {
        let message = Self.string(failure.message)
        let token = Self.string(failure.token)
        if failure.program_size > 0 {
            self.init(
                message: "compiled expression is too large; found "
                    + "\(failure.program_size) instructions, expected at most "
                    + "\(options.maxProgramSize)"
            )
            return
        }
        let isWhole = failure.token_length == token.utf8.count
        guard !token.isEmpty, isWhole else {
            self.init(message: message)
            return
        }
        let offset = Self.onlyOffset(of: token, in: text)
        self.init(
            message: "\(message): '\(token)'",
            offset: offset,
            length: token.utf8.count
        )
    }

    private static func onlyOffset(of token: String, in text: String) -> Int? {
        let needle = Array(token.utf8)
        let haystack = Array(text.utf8)
        guard needle.count <= haystack.count else {
            return nil
        }
        var found: Int?
        for start in 0...(haystack.count - needle.count)
        where haystack[start..<start + needle.count].elementsEqual(needle) {
            guard found == nil else {
                return nil
            }
            found = start
        }
        return found
    }

    /// Returns the text up to the first NUL of a C array.
    private static func string<Characters: BitwiseCopyable>(_ characters: Characters) -> String {
        unsafe withUnsafeBytes(of: characters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
