// SPDX-License-Identifier: MIT

internal import Foundation
public import TaplineCapture
internal import TaplineModel

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A test that is recorded or replayed, while it runs.
///
/// Sessions that the test makes with `URLSessionConfiguration.tapped()`, and `TapSession`s, belong to
/// it by themselves; `session` does wherever it is used.
///
/// **Isolation**: any thread.
public final class Recording: Sendable {
    @TaskLocal static var running: Recording?

    /// The recording of the test that runs in this task; nothing outside of one.
    public static var current: Recording? { running }

    /// The name of the fixture.
    public let name: String
    /// Whether the network is used.
    public let mode: RecordedMode
    /// The path of the fixture.
    public let path: String
    /// What captures; nothing in the mode `off`.
    public let tap: Tap?
    /// A session that belongs to this test and to no other, whatever else runs.
    public let session: URLSession

    init(_ fixture: Fixture, named name: String, _ mode: RecordedMode, _ tap: Tap?) {
        self.name = name
        self.mode = mode
        self.tap = tap
        path = fixture.path
        session = URLSession(configuration: Recording.own(.ephemeral, tap))
    }

    /// A configuration for sessions that belong to this test and to no other.
    ///
    /// - Parameter configuration: The app's own.
    /// - Returns: A copy.
    public func configuration(
        _ configuration: URLSessionConfiguration = .ephemeral
    ) -> URLSessionConfiguration {
        Recording.own(configuration, tap)
    }

    /// What the test has sent so far and got, newest first.
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
