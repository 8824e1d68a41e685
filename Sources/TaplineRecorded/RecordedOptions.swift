// SPDX-License-Identifier: MIT

public import TaplineCapture

/// How a test is recorded and replayed.
public struct RecordedOptions: Sendable {
    /// How fixtures are written.
    public enum Format: String, Sendable {
        /// As browsers and proxies do.
        case har
        /// In Tapline's own schema, which also keeps WebSocket messages and failures whole.
        case ndjson
    }

    /// What answers a request that comes more often than it was recorded.
    public enum Repeats: Sendable {
        /// The last recording once more.
        case lastAgain
        /// Nothing: it fails.
        case fail
    }

    /// The folder of the fixtures, beside the test's source file, or an absolute path.
    public var folder = "Fixtures"
    /// How fixtures are written.
    public var format = Format.har
    /// What cleans recordings, and the requests that are compared with them.
    ///
    /// Without any, fixtures hold what was sent and received, secrets included.
    public var stages: [Component] = [.redact(detectors: .standard)]
    /// What has to be the same for a recording to answer a request.
    public var matching = Matching()
    /// What answers a request that comes more often than it was recorded.
    public var repeats = Repeats.lastAgain
    /// Whether the test fails where recordings are left that nothing has asked for.
    public var isStrict = false
    /// Whether `URLSession.shared`, and sessions that were made elsewhere for the tap of the whole
    /// app, belong to the test.
    ///
    /// These exist once in a process, so such tests run one after the other.
    public var capturesShared = true
    /// The most bytes of a body; the recording of a larger one fails the test.
    public var maxBodySize = 64 << 20
    /// What is done; otherwise the environment says so, or whether there is a fixture.
    public var mode: RecordedMode?

    /// The usual options, of which any may be changed.
    public init() {}

    /// The usual options, with some of them changed.
    ///
    /// - Parameter change: Changes them.
    public init(_ change: (inout RecordedOptions) -> Void) {
        self.init()
        change(&self)
    }
}

/// Whether a test uses the network.
public enum RecordedMode: String, Sendable {
    /// It does, and what it sends and gets becomes the fixture.
    case record
    /// It does not: the fixture answers.
    case replay
    /// It does, as if nothing was here.
    case off

    /// The variable of the environment that chooses one for all tests.
    public static let variable = "TAPLINE_RECORDED"

    /// What the environment asks for; `nil` if it leaves that to the fixture.
    static func asked(by variables: [String: String]) throws(RecordedError) -> RecordedMode? {
        guard let text = variables[variable], !text.isEmpty else { return nil }
        guard let mode = RecordedMode(rawValue: text) else {
            throw RecordedError("'\(variable)' is '\(text)'; expected record, replay or off")
        }
        return mode
    }
}

/// Why a test cannot be recorded or replayed.
public struct RecordedError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
