// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineRegex

/// One expectation of an outcome, with its place in the test file.
struct Check: Sendable {
    /// The expected outcome.
    enum Assertion: Sendable {
        /// A field has this value.
        case equals(ValuePath, ConfigNode)
        /// JSON contains at least this value.
        case holds(ValuePath, ConfigNode)
        /// A field has exactly this value.
        case exactly(ValuePath, ConfigNode)
        /// A text matches a pattern.
        case matches(ValuePath, Pattern)
        /// A text contains another.
        case contains(ValuePath, String)
        /// The field does not exist.
        case absent(ValuePath)
        /// The record was dropped, or not.
        case dropped(Bool, by: String?, reason: String?)
        /// A stage answered instead of the server, or not.
        case responded(Bool)
        /// A stage closed the connection, or not.
        case aborted(Bool)
        /// The delays add up to this time.
        case delayed(Microseconds)
        /// A hook failed with a message that contains a text, or none failed.
        case failed(Bool, text: String?)
        /// A log line contains a text.
        case logs(String)
    }

    let assertion: Assertion
    /// The place in the test file.
    let location: SourceLocation
}

/// The expectations for one exchange.
struct Expectation: Sendable {
    /// All checks that the file asks for.
    var checks: [Check] = []
    /// The place of the expectation, for failures that no check covers.
    var location: SourceLocation

    /// Whether the file mentions a dropped record.
    var mentionsDrop: Bool {
        checks.contains { if case .dropped = $0.assertion { true } else { false } }
    }

    /// Whether the file mentions hooks that fail.
    var mentionsFailure: Bool {
        checks.contains { if case .failed = $0.assertion { true } else { false } }
    }

    /// Whether the file mentions a closed connection.
    var mentionsAbort: Bool {
        checks.contains { if case .aborted = $0.assertion { true } else { false } }
    }
}
