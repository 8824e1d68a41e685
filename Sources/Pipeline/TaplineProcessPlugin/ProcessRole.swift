// SPDX-License-Identifier: MIT

/// What a child does for the pipeline.
package enum ProcessRole: String, Sendable, CaseIterable {
    /// It decides about records.
    case stage
    /// It decides about live traffic.
    case wire
    /// It stores records.
    case sink
    /// It captures exchanges.
    case source
}

/// How a child has introduced itself.
package struct ChildHello: Sendable, Equatable {
    /// The name of the plugin.
    package var name = ""
    /// The version of the plugin.
    package var version = ""
    /// The roles that it can take; empty if it has not said.
    package var kinds: [String] = []
    /// What it can do besides: `flush`, `reopen`.
    package var capabilities: Set<String> = []
}

/// Why a call has no answer, or a line of a child is of no use.
///
/// The text holds no data of the child, since that may hold traffic.
package struct ProcessPluginError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem.
    package let description: String
    /// Whether another attempt is of no use.
    package let isFinal: Bool
    /// Whether the program has not answered: it has ended or hangs, so that the next one may answer.
    package let isUnanswered: Bool

    /// Creates an error.
    package init(_ description: String, isFinal: Bool = false, isUnanswered: Bool = false) {
        self.description = description
        self.isFinal = isFinal
        self.isUnanswered = isUnanswered
    }
}
