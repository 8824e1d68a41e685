// SPDX-License-Identifier: MIT

internal import Synchronization

/// Which test has recorded which fixture in this process, so that none overwrites that of another.
///
/// **Isolation**: any thread.
final class FixtureOwners: Sendable {
    static let shared = FixtureOwners()

    private let tests = Mutex<[String: String]>([:])

    /// Notes that a test records a fixture, or replays it.
    ///
    /// - Parameters:
    ///   - test: The test, by a text that no other has.
    ///   - path: The fixture.
    ///   - mode: What the test does.
    ///   - isChosen: Whether that was asked for, and does not come of the fixture's being there.
    /// - Throws: `RecordedError` where another test has recorded it.
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
            "two tests have the fixture '\(path)':\n  \(owner)\n  \(test)\ngive one of them another name"
        )
    }
}
