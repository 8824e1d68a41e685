// SPDX-License-Identifier: MIT

#if canImport(Testing)
internal import Synchronization
internal import TaplineCapture
public import Testing

/// Records a test of Swift Testing on its first run, and replays it without the network afterwards.
///
/// On a function, the trait has one fixture; on a suite, each test has its own.
public struct RecordedTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether the trait is applied to a suite; the suite's tests have copies of it.
    private final class Place: Sendable {
        let isSuite = Mutex(false)
    }

    private let name: String?
    private let source: String
    private let options: RecordedOptions
    private let place = Place()

    init(_ name: String?, _ source: String, _ options: RecordedOptions) {
        self.name = name
        self.source = source
        self.options = options
        // Traits are created before the first test runs.
        Tap.registerForShared()
    }

    /// The trait applies to each test of a suite.
    public var isRecursive: Bool { true }

    /// Notes whether the trait is applied to a suite.
    public func prepare(for test: Test) async throws {
        if test.isSuite { place.isSuite.withLock { $0 = true } }
    }

    /// Returns the trait itself for a whole test function: all of its cases share a fixture.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> RecordedTrait? {
        let isOnce = test.isParameterized ? testCase == nil : testCase != nil
        return !test.isSuite && isOnce && isNearest(to: test) ? self : nil
    }

    /// Whether no other recording trait is nearer to the test, whose own traits come last.
    private func isNearest(to test: Test) -> Bool {
        let nearest = test.traits.last { $0 is RecordedTrait } as? RecordedTrait
        return nearest?.place === place
    }

    /// Returns the fixture name of a test.
    private func fixture(of test: Test) -> String {
        let function = String(test.name.prefix { $0 != "(" }).filter { $0 != "`" }
        let isSuite = place.isSuite.withLock { $0 }
        guard let name, !isSuite else {
            let folder = name ?? test.sourceLocation.fileName.replacing(".swift", with: "")
            return "\(folder)/\(function)"
        }
        return name
    }

    /// Runs the test and reports problems with its requests as issues.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let place = test.sourceLocation
        let run = try RecordedRun(
            fixture(of: test),
            of: "\(test.name) (\(place.fileID):\(place.line))",
            besides: source,
            options
        )
        let hasFailed = Mutex(false)
        let watching = IssueHandlingTrait.compactMapIssues { issue in
            if issue.isFailure { hasFailed.withLock { $0 = true } }
            return issue
        }
        try await run.perform {
            try await watching.provideScope(for: test, testCase: testCase, performing: function)
        } fails: {
            hasFailed.withLock { $0 }
        } reporting: { problem in
            Issue.record(Comment(rawValue: problem), sourceLocation: place)
        }
    }
}

extension Trait where Self == RecordedTrait {
    /// Records the test on its first run, and replays it afterwards.
    ///
    /// ```swift
    /// @Test(.recorded("login")) func signsIn() async throws { … }
    /// ```
    /// - Parameters:
    ///   - name: The name of the fixture; on a suite, the name of a folder with one fixture for
    ///     each test. By default, the folder is named after the source file.
    ///   - options: How the test is recorded and replayed.
    ///   - source: The source file next to which the fixtures folder is.
    /// - Returns: The trait.
    public static func recorded(
        _ name: String? = nil,
        _ options: RecordedOptions = RecordedOptions(),
        besides source: String = #filePath
    ) -> Self {
        RecordedTrait(name, source, options)
    }
}
#endif
