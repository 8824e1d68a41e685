// SPDX-License-Identifier: MIT

public import TaplinePlugin

/// How one test went.
public struct TestResult: Sendable {
    /// The most differences of a test that are kept.
    public static let limit = 20

    /// What the test is called.
    public let name: String
    /// What is not as it was expected; none where the test passed.
    public private(set) var mismatches: [Mismatch] = []
    /// How many more there were.
    public private(set) var omitted = 0
    /// What the stages logged, bounded.
    public internal(set) var log: [LogEntry] = []
    /// How long it took.
    public internal(set) var elapsed = Duration.zero

    /// A test that has not found anything wrong yet.
    init(name: String) { self.name = name }

    /// Whether all was as expected.
    public var isPassed: Bool { mismatches.isEmpty }

    mutating func add(_ found: [Mismatch]) {
        let room = max(0, TestResult.limit - mismatches.count)
        mismatches += found.prefix(room)
        omitted += max(0, found.count - room)
    }
}
