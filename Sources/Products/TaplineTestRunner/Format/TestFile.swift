// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineQuery
internal import TaplineSystem

/// A test file with a valid structure.
package struct TestFile: Sendable {
    /// The name of the file, as messages show it.
    package let name: String
    /// The path of the pipeline under test.
    let pipeline: Located<String>
    /// The tests, in the order of the file.
    package let tests: [TestCase]
}

/// One test of a file.
package struct TestCase: Sendable {
    /// The name of the test.
    package let name: String
    let location: SourceLocation
    /// The stages that run, by id; `nil` runs all.
    let stages: [Located<String>]?
    /// Options that are set for this test.
    let overrides: [OptionAssignment]
    /// The variables that the pipeline file sees.
    let environment: Environment
    /// The current time for scripts.
    let clock: Timestamp
    /// The seed of random generators.
    let seed: UInt64
    let steps: [TestStep]
}

/// One exchange, or the exchanges of a recording, with the expectation for each.
struct TestStep: Sendable {
    let exchange: TestExchange
    let expectation: Expectation
}

/// The origin of an exchange.
enum TestExchange: Sendable {
    case inline(InlineExchange)
    case recorded(Recording)
}

/// An exchange that is given in the test file.
struct InlineExchange: Sendable {
    var exchange: Exchange
    /// When the exchange begins; `nil` means the test's clock.
    let started: Timestamp?
}

/// Exchanges that are read from a recording.
struct Recording: Sendable {
    let path: String
    let filter: Filter?
    let index: Int?
    let location: SourceLocation
}
