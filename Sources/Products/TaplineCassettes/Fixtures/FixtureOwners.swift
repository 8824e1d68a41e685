// SPDX-License-Identifier: MIT

internal import Synchronization

/// Records which test wrote which fixture in this process, so that no test overwrites another's.
///
/// **Isolation**: any thread.
final class FixtureOwners: Sendable {
    static let shared = FixtureOwners()

    private let tests = Mutex<[String: String]>([:])

    /// Notes that a test records or replays a fixture.
    ///
    /// - Parameters:
    ///   - test: A unique name of the test.
    ///   - path: The fixture.
    ///   - mode: Whether the test records or replays.
    ///   - isChosen: Whether the mode was set explicitly, and not derived from the existence of the
    ///     fixture.
    /// - Throws: `RecordedError` if another test has recorded it.
    func note(
        _ test: String,
        of path: String,
        _ mode: RecordedMode,
        isChosen: Bool
    ) throws(RecordedError) {
        let owner = tests.withLock { tests in
            if mode == .record, tests[path] == nil { tests[path] = test }
            return tests[path]
        }
        guard let owner, owner != test, mode == .record || !isChosen else { return }
        throw RecordedError(
            "two tests use the fixture '\(path)':\n  \(owner)\n  \(test)\n"
                + "give one of them another name"
        )
    }
}
