// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery

/// A test file whose shape is right.
public struct TestFile: Sendable {
    /// The name of the file, as messages show it.
    public let name: String
    /// The pipeline that is tested, as a path.
    let pipeline: Located<String>
    /// The tests, in the order of the file.
    public let tests: [TestCase]
}

/// One test of a file.
public struct TestCase: Sendable {
    /// What it is called.
    public let name: String
    let location: SourceLocation
    /// The stages that run, by id; all where it is nothing.
    let stages: [Located<String>]?
    /// Options that are set for it.
    let overrides: [OptionAssignment]
    /// The variables that the pipeline file sees.
    let environment: Environment
    /// What time it is.
    let clock: Timestamp
    /// What random generators begin with.
    let seed: UInt64
    let steps: [TestStep]
}

/// One exchange, or those of a recording, and what is expected of each.
struct TestStep: Sendable {
    let exchange: TestExchange
    let expectation: Expectation
}

/// Where an exchange comes from.
enum TestExchange: Sendable {
    case inline(InlineExchange)
    case recorded(Recording)
}

/// An exchange that stands in the test file.
struct InlineExchange: Sendable {
    var exchange: Exchange
    /// When it begins; the test's clock where it is nothing.
    let started: Timestamp?
}

/// Exchanges that stand in a recording.
struct Recording: Sendable {
    let path: String
    let filter: Filter?
    let index: Int?
    let location: SourceLocation
}
