// SPDX-License-Identifier: MIT

import Glibc
package import Testing

/// Polls until a condition is true.
///
/// - Parameters:
///   - reason: What the test waits for. If it does not happen in time, an issue names it.
///   - limit: The longest wait.
///   - isolation: The caller's isolation.
///   - sourceLocation: The place of the issue.
///   - condition: Returns whether it has happened.
/// - Returns: Whether it has happened. A cancelled task stops waiting, without an issue.
@discardableResult
package func wait(
    for reason: String,
    within limit: Duration = .seconds(60),
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    until condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        if Task.isCancelled { return false }
        guard ContinuousClock.now < end else {
            recordTimeout(reason, limit, sourceLocation)
            return false
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// Polls until a condition is true, and blocks the thread meanwhile; see `wait`.
@discardableResult
package func blockingWait(
    for reason: String,
    within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation,
    until condition: () throws -> Bool
) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else {
            recordTimeout(reason, limit, sourceLocation)
            return false
        }
        usleep(2000)
    }
    return true
}

private func recordTimeout(_ reason: String, _ limit: Duration, _ place: SourceLocation) {
    Issue.record("waited \(limit) for: \(reason)", sourceLocation: place)
}
