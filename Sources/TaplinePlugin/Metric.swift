// SPDX-License-Identifier: MIT

/// What a component counted of its own, beside what came in, went out, was dropped or failed.
public struct Metric: Sendable, Equatable {
    /// What is counted, in the plural: `redactions`, `calls`, `errors`.
    public let name: String
    /// Of what it is counted: the name of a rule or of a hook.
    public let subject: String
    /// How often it happened.
    public let count: Int
    /// How long it took, where that was measured.
    public let durations: DurationDistribution?

    /// A count.
    public init(_ name: String, of subject: String, count: Int) {
        self.name = name
        self.subject = subject
        self.count = count
        durations = nil
    }

    /// Times; the count is that of the measurements.
    public init(_ name: String, of subject: String, durations: DurationDistribution) {
        self.name = name
        self.subject = subject
        count = durations.count
        self.durations = durations
    }
}

/// Which lines of a script ran.
public struct ScriptCoverage: Sendable, Equatable {
    /// The script's file, as the configuration names it.
    public let file: String
    /// Each line that can run, from 1, and how often it did.
    public var lines: [Int: Int]

    /// The coverage of one script.
    public init(file: String, lines: [Int: Int]) {
        self.file = file
        self.lines = lines
    }
}
