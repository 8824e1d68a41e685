// SPDX-License-Identifier: MIT

/// The reason that a text is not a valid filter.
package struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The UTF-8 offset of the offending part in the text.
    package let offset: Int
    /// The length of the offending part in bytes; zero at the end of the text.
    package let length: Int
    /// The problem, with what was found and what was expected.
    package let message: String
    /// The remedy, if a likely one is known.
    package let help: String?

    /// The message without a position; a caller that knows the file adds the position.
    package var description: String { message }

    init(_ range: Range<Int>, _ message: String, help: String? = nil) {
        offset = range.lowerBound
        length = range.count
        self.message = message
        self.help = help
    }
}
