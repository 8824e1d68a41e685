// SPDX-License-Identifier: MIT

internal import Foundation
public import TaplineCapture
internal import TaplineModel

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A test that is recorded or replayed, while it runs.
///
/// Sessions that the test creates with `URLSessionConfiguration.tapped()`, and each `TapSession`,
/// belong to it automatically; `session` belongs to it wherever it is used.
///
/// **Isolation**: any thread.
public final class Recording: Sendable {
    @TaskLocal static var running: Recording?

    /// The recording of the test that runs in this task; `nil` outside a recorded test.
    public static var current: Recording? { running }

    /// The name of the fixture.
    public let name: String
    /// Whether the network is used.
    public let mode: RecordedMode
    /// The path of the fixture.
    public let path: String
    /// The tap that captures; `nil` in the mode `off`.
    public let tap: Tap?
    /// A session that belongs only to this test.
    public let session: URLSession

    init(_ fixture: Fixture, named name: String, _ mode: RecordedMode, _ tap: Tap?) {
        self.name = name
        self.mode = mode
        self.tap = tap
        path = fixture.path
        session = URLSession(configuration: Recording.own(.ephemeral, tap))
    }

    /// Returns a configuration for sessions that belong only to this test.
    ///
    /// - Parameter configuration: The app's configuration.
    /// - Returns: A copy.
    public func configuration(
        _ configuration: URLSessionConfiguration = .ephemeral
    ) -> URLSessionConfiguration {
        Recording.own(configuration, tap)
    }

    /// The requests and responses of the test so far, newest first.
    public var entries: [Entry] {
        tap?.flush()
        return tap?.entries ?? []
    }

    private static func own(
        _ configuration: URLSessionConfiguration,
        _ tap: Tap?
    ) -> URLSessionConfiguration {
        tap.map { configuration.tapped(by: $0) } ?? configuration
    }
}
