// SPDX-License-Identifier: MIT

package import TaplinePlugin

/// A source that answers requests from recordings.
///
/// Declared here so that commands can show what it answered without linking it.
package protocol AnsweringSource: Source {
    /// What was answered so far; `nil` if the source answers nothing.
    ///
    /// - Parameter limit: How many misses and unused recordings are listed.
    /// - Returns: The counts and the lists.
    func report(limit: Int) -> AnswerReport?
}

/// What a source has answered from recordings.
package struct AnswerReport: Sendable, Equatable {
    /// How many requests a recording answered.
    package var hits = 0
    /// How many requests had no recording.
    package var misses = 0
    /// How many recordings there are.
    package var recordings = 0
    /// How many of them answered no request.
    package var unused = 0
    /// The explanations of the last misses, with values of requests that are not redacted: never
    /// printed.
    package var lastMisses: [String] = []
    /// The same without values.
    package var lastMissSummaries: [String] = []
    /// Method and URL of the first unused recordings, without queries, but with values in paths:
    /// never printed.
    package var firstUnused: [String] = []
    /// Method, host and path template of the same recordings, except those that were made of
    /// requests in this run.
    package var firstUnusedRoutes: [String] = []

    /// Creates an empty report.
    package init() {}
}
