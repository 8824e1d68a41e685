// SPDX-License-Identifier: MIT

#if canImport(XCTest)
public import XCTest

extension XCTestCase {
    /// Records the requests in the closure on the first run, and replays them afterwards.
    ///
    /// ```swift
    /// func testSignsIn() async throws {
    ///     try await recorded("login") { recording in … }
    /// }
    /// ```
    /// - Parameters:
    ///   - name: The name of the fixture.
    ///   - options: How the test is recorded and replayed.
    ///   - file: The source file next to which the fixtures folder is.
    ///   - line: The line at which failures are shown.
    ///   - isolation: The isolation in which the closure runs.
    ///   - body: The code under test.
    /// - Returns: What the closure returns.
    /// - Throws: The closure's error; `RecordedError` if the test cannot run.
    public func recorded<Value>(
        _ name: String,
        _ options: RecordedOptions = RecordedOptions(),
        file: StaticString = #filePath,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Recording) async throws -> Value
    ) async throws -> Value {
        let run = try RecordedRun(name, of: id(line), besides: "\(file)", options)
        let failures = failureCount
        return try await run.perform {
            try await body(run.recording)
        } fails: {
            failureCount > failures
        } reporting: {
            XCTFail($0, file: file, line: line)
        }
    }

    /// The same for a synchronous closure.
    ///
    /// - Parameters:
    ///   - name: The name of the fixture.
    ///   - options: How the test is recorded and replayed.
    ///   - file: The source file next to which the fixtures folder is.
    ///   - line: The line at which failures are shown.
    ///   - body: The code under test.
    /// - Returns: What the closure returns.
    /// - Throws: The closure's error; `RecordedError` if the test cannot run.
    public func recorded<Value>(
        _ name: String,
        _ options: RecordedOptions = RecordedOptions(),
        file: StaticString = #filePath,
        line: UInt = #line,
        _ body: (Recording) throws -> Value
    ) throws -> Value {
        let run = try RecordedRun(name, of: id(line), besides: "\(file)", options)
        let failures = failureCount
        return try run.performBlocking {
            try body(run.recording)
        } fails: {
            failureCount > failures
        } reporting: {
            XCTFail($0, file: file, line: line)
        }
    }

    /// Returns a text that distinguishes one recording of a test from its others.
    private func id(_ line: UInt) -> String { "\(name) (line \(line))" }

    private var failureCount: Int { testRun?.totalFailureCount ?? 0 }
}
#endif
