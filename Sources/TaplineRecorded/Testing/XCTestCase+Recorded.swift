// SPDX-License-Identifier: MIT

#if canImport(XCTest)
public import XCTest

extension XCTestCase {
    /// Records what happens in the closure the first time, and replays it from then on.
    ///
    /// ```swift
    /// func testSignsIn() async throws {
    ///     try await recorded("login") { recording in … }
    /// }
    /// ```
    /// - Parameters:
    ///   - name: The name of the fixture.
    ///   - options: How it is recorded and replayed.
    ///   - file: The source file, beside which the folder of the fixtures is.
    ///   - line: Where failures are shown.
    ///   - isolation: Where the closure runs.
    ///   - body: What is tested.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `RecordedError` where the test cannot run.
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

    /// The same for a closure that does not wait in the way of `async`.
    ///
    /// - Parameters:
    ///   - name: The name of the fixture.
    ///   - options: How it is recorded and replayed.
    ///   - file: The source file, beside which the folder of the fixtures is.
    ///   - line: Where failures are shown.
    ///   - body: What is tested.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `RecordedError` where the test cannot run.
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

    /// What tells one recording of a test from its others.
    private func id(_ line: UInt) -> String { "\(name) (line \(line))" }

    private var failureCount: Int { testRun?.totalFailureCount ?? 0 }
}
#endif
