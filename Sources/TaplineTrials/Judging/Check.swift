// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplineRegex

/// One thing that is expected of an outcome, with the place where the test file says so.
struct Check: Sendable {
    /// What is expected.
    enum Demand: Sendable {
        /// A field has this value.
        case equals(FactPath, ConfigNode)
        /// JSON holds at least this.
        case holds(FactPath, ConfigNode)
        /// A field has this value and nothing else beside it.
        case exactly(FactPath, ConfigNode)
        /// A text matches a pattern.
        case matches(FactPath, Pattern)
        /// A text holds another.
        case contains(FactPath, String)
        /// There is no such field.
        case absent(FactPath)
        /// The record was dropped, or not.
        case dropped(Bool, by: String?, reason: String?)
        /// A stage answered in the server's place, or not.
        case responded(Bool)
        /// A stage closed the connection, or not.
        case aborted(Bool)
        /// The pauses together take so long.
        case delayed(Microseconds)
        /// A hook failed with a message that holds a text, or none failed.
        case failed(Bool, text: String?)
        /// A line of the log holds a text.
        case logs(String)
    }

    let demand: Demand
    /// Where it stands.
    let location: SourceLocation
}

/// What is expected of one exchange.
struct Expectation: Sendable {
    /// All that the file asks for.
    var checks: [Check] = []
    /// Where it stands, for what goes wrong unasked.
    var location: SourceLocation

    /// Whether the file speaks of a dropped record.
    var mentionsDrop: Bool {
        checks.contains { if case .dropped = $0.demand { true } else { false } }
    }

    /// Whether the file speaks of hooks that fail.
    var mentionsFailure: Bool {
        checks.contains { if case .failed = $0.demand { true } else { false } }
    }

    /// Whether the file speaks of a closed connection.
    var mentionsAbort: Bool {
        checks.contains { if case .aborted = $0.demand { true } else { false } }
    }
}
