// SPDX-License-Identifier: MIT

/// The rows and bodies of a database that could not be read.
struct RowProblems: Sendable {
    /// How many messages are kept; the rest is only counted.
    private static let limit = 5

    private(set) var count = 0
    private(set) var messages: [String] = []

    /// Adds problems that have one message.
    mutating func add(_ message: String, count: Int = 1) {
        self.count += count
        if messages.count < Self.limit { messages.append(message) }
    }

    /// Adds other problems, and returns their messages as far as there was room.
    mutating func add(_ others: RowProblems) -> ArraySlice<String> {
        count += others.count
        let new = others.messages.prefix(Self.limit - messages.count)
        messages += new
        return new
    }

    /// Returns the problems, and forgets them.
    mutating func take() -> RowProblems {
        defer { self = RowProblems() }
        return self
    }
}
