// SPDX-License-Identifier: MIT

internal import TaplineCapture

extension RecordedRun {
    /// Runs a test.
    ///
    /// - Parameters:
    ///   - isolation: The isolation in which the test runs.
    ///   - body: The test.
    ///   - fails: Whether an expectation of the test has failed without throwing an error.
    ///   - report: Receives the problems as readable text.
    /// - Returns: What the test returns.
    /// - Throws: The test's error; `TapError` if nothing can be captured.
    func perform<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value,
        fails: () -> Bool = { false },
        reporting report: (String) -> Void
    ) async throws -> Value {
        if needsTurn { await AsyncSerialLock.shared.begin() }
        defer { if needsTurn { AsyncSerialLock.shared.end() } }
        let cookies = needsTurn ? SharedCookies() : nil
        defer { cookies?.restore() }
        try start()
        var hasFailed = true
        defer { finish(hasFailed: hasFailed).forEach(report) }
        let value = try await Recording.$running.withValue(recording) {
            guard let tap = recording.tap else { return try await body() }
            return try await tap.asCurrent(perform: body)
        }
        hasFailed = fails()
        return value
    }

    /// Runs a test that blocks its thread.
    func performBlocking<Value>(
        _ body: () throws -> Value,
        fails: () -> Bool = { false },
        reporting report: (String) -> Void
    ) throws -> Value {
        if needsTurn { AsyncSerialLock.shared.beginBlocking() }
        defer { if needsTurn { AsyncSerialLock.shared.end() } }
        let cookies = needsTurn ? SharedCookies() : nil
        defer { cookies?.restore() }
        try start()
        var hasFailed = true
        defer { finish(hasFailed: hasFailed).forEach(report) }
        let value = try Recording.$running.withValue(recording) {
            guard let tap = recording.tap else { return try body() }
            return try tap.asCurrent(perform: body)
        }
        hasFailed = fails()
        return value
    }
}
