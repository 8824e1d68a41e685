// SPDX-License-Identifier: MIT

package import TaplineStatistics

/// A component's own figure, in addition to what it received, sent, dropped or failed.
public struct Metric: Sendable, Equatable {
    /// What a metric measures.
    package enum Kind: Sendable {
        /// A number of occurrences, which only grows.
        case counter
        /// A number that may also fall.
        case gauge
        /// Durations, and their number.
        case durations
    }

    /// What is counted, in the plural: `redactions`, `calls`, `errors`.
    public let name: String
    /// The rule or hook that the count is for.
    public let subject: String
    /// The number of occurrences, or the present value.
    public let count: Int
    package let kind: Kind
    /// The distribution of durations, if they were measured.
    package let durations: DurationDistribution?

    /// Creates a count.
    public init(_ name: String, of subject: String, count: Int) {
        self.name = name
        self.subject = subject
        self.count = count
        kind = .counter
        durations = nil
    }

    /// Creates a present value, which may also fall, such as a lag.
    public init(_ name: String, of subject: String, value: Int) {
        self.name = name
        self.subject = subject
        count = value
        kind = .gauge
        durations = nil
    }

    /// Creates a metric of durations; its count is the number of measurements.
    package init(_ name: String, of subject: String, durations: DurationDistribution) {
        self.name = name
        self.subject = subject
        count = durations.count
        kind = .durations
        self.durations = durations
    }
}

/// The lines of a script that ran.
public struct ScriptCoverage: Sendable, Equatable {
    /// The script's file, as the configuration names it.
    public let file: String
    /// The number of executions of each executable line, numbered from 1.
    public var lines: [Int: Int]

    /// Creates the coverage of a script.
    public init(file: String, lines: [Int: Int]) {
        self.file = file
        self.lines = lines
    }
}
