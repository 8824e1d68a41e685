// SPDX-License-Identifier: MIT

package import TaplinePlugin

/// The result of one test.
package struct TestResult: Sendable {
    /// The most differences that are kept for a test.
    package static let limit = 20

    /// The name of the test.
    package let name: String
    /// The unmet expectations; empty if the test passed.
    package private(set) var mismatches: [Mismatch] = []
    /// How many further mismatches there were.
    package private(set) var omitted = 0
    /// The messages that the stages logged, limited in number.
    package internal(set) var log: [LogEntry] = []
    /// How long the test took.
    package internal(set) var elapsed = Duration.zero

    /// Creates the result of a test without mismatches so far.
    init(name: String) { self.name = name }

    /// Whether all expectations were met.
    package var isPassed: Bool { mismatches.isEmpty }

    mutating func add(_ found: [Mismatch]) {
        let room = max(0, TestResult.limit - mismatches.count)
        mismatches += found.prefix(room)
        omitted += max(0, found.count - room)
    }
}
