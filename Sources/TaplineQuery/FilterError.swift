// SPDX-License-Identifier: MIT

/// Why a text is not a filter.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where in the text's UTF-8 the offending part begins.
    public let offset: Int
    /// The length of the offending part in bytes; zero at the end of the text.
    public let length: Int
    /// What is wrong, what was found and what was expected.
    public let message: String
    /// What to do about it, where that is likely enough to say.
    public let help: String?

    /// The message alone: a caller that knows the file adds the position.
    public var description: String { message }

    init(_ range: Range<Int>, _ message: String, help: String? = nil) {
        offset = range.lowerBound
        length = range.count
        self.message = message
        self.help = help
    }
}
