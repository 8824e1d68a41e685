// SPDX-License-Identifier: MIT

public import TaplineCapture

/// How a test is recorded and replayed.
public struct RecordedOptions: Sendable {
    /// How fixtures are written.
    public enum Format: String, Sendable {
        /// The format of browsers and proxies.
        case har
        /// Tapline's own schema, which also preserves WebSocket messages and failures completely.
        case ndjson
    }

    /// The answer to a request that is sent more often than it was recorded.
    public enum Repeats: Sendable {
        /// The last recording again.
        case lastAgain
        /// None: the request fails.
        case fail
    }

    /// The folder of the fixtures, next to the test's source file or as an absolute path.
    public var folder: String
    /// How fixtures are written.
    public var format: Format
    /// The stages that clean recordings and the requests that are compared with them.
    ///
    /// Without stages, fixtures contain the unmodified traffic, secrets included.
    public var stages: [Component]
    /// The parts that must be equal for a recording to answer a request.
    public var matching: Matching
    /// The answer to a request that is sent more often than it was recorded.
    public var repeats: Repeats
    /// Whether the test fails if no request used some of the recordings.
    public var isStrict: Bool
    /// Whether `URLSession.shared`, and sessions that were created elsewhere for the tap of the
    /// whole app, belong to the test.
    ///
    /// These exist once in a process, so tests that capture them run one after the other.
    public var capturesShared: Bool
    /// The largest size of a body, in bytes; recording a larger one fails the test.
    public var maxBodySize: Int
    /// The mode; by default, the environment or the existence of the fixture decides.
    public var mode: RecordedMode?

    /// Creates options; those that are omitted have their defaults.
    ///
    /// ```swift
    /// @Test(.recorded("cart", RecordedOptions(isStrict: true)))
    /// ```
    /// - Parameters:
    ///   - folder: The folder of the fixtures, next to the test's source file or as an absolute
    ///     path.
    ///   - format: How fixtures are written.
    ///   - stages: The stages that clean recordings and requests.
    ///   - matching: The parts that must be equal for a recording to answer a request.
    ///   - repeats: The answer to a request that is sent more often than it was recorded.
    ///   - isStrict: Whether the test fails if no request used some of the recordings.
    ///   - capturesShared: Whether sessions that exist once in a process belong to the test.
    ///   - maxBodySize: The largest size of a body, in bytes.
    ///   - mode: The mode; by default, the environment or the existence of the fixture decides.
    public init(
        folder: String = "Fixtures",
        format: Format = .har,
        stages: [Component] = [.redact(detectors: .standard)],
        matching: Matching = Matching(),
        repeats: Repeats = .lastAgain,
        isStrict: Bool = false,
        capturesShared: Bool = true,
        maxBodySize: Int = 64 << 20,
        mode: RecordedMode? = nil
    ) {
        self.folder = folder
        self.format = format
        self.stages = stages
        self.matching = matching
        self.repeats = repeats
        self.isStrict = isStrict
        self.capturesShared = capturesShared
        self.maxBodySize = maxBodySize
        self.mode = mode
    }

    /// Creates the default options and changes some of them.
    ///
    /// - Parameter change: Changes the options.
    public init(_ change: (inout RecordedOptions) -> Void) {
        self.init()
        change(&self)
    }
}

/// Whether a test uses the network.
public enum RecordedMode: String, Sendable {
    /// The test uses the network, and its traffic becomes the fixture.
    case record
    /// The test does not use the network; the fixture answers its requests.
    case replay
    /// The test uses the network, without being recorded.
    case off

    /// The environment variable that sets the mode of all tests.
    public static let variable = "TAPLINE_RECORDED"

    /// Returns the mode that the environment sets; `nil` if the existence of the fixture decides.
    static func asked(by variables: [String: String]) throws(RecordedError) -> RecordedMode? {
        guard let text = variables[variable], !text.isEmpty else { return nil }
        guard let mode = RecordedMode(rawValue: text) else {
            throw RecordedError("'\(variable)' is '\(text)'; expected record, replay or off")
        }
        return mode
    }
}

/// The reason why a test cannot be recorded or replayed.
public struct RecordedError: Error, CustomStringConvertible {
    /// The problem, and what to do about it.
    public let description: String

    init(_ description: String) { self.description = description }
}
