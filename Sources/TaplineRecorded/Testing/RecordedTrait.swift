// SPDX-License-Identifier: MIT

#if canImport(Testing)
internal import Synchronization
internal import TaplineCapture
public import Testing

/// Records a test of Swift Testing the first time, and replays it without the network from then on.
///
/// On a function it has a fixture for that; on a suite each of its tests has one of its own.
public struct RecordedTrait: TestTrait, SuiteTrait, TestScoping {
    /// Whether the trait stands at a suite; its tests have copies of it.
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
        // Traits are made before the first test runs.
        Tap.registerForShared()
    }

    /// It holds for each test of a suite.
    public var isRecursive: Bool { true }

    /// Notes where the trait stands.
    public func prepare(for test: Test) async throws {
        if test.isSuite { place.isSuite.withLock { $0 = true } }
    }

    /// The trait itself, for a whole test function: all of its cases share a fixture.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> RecordedTrait? {
        let isOnce = test.isParameterized ? testCase == nil : testCase != nil
        return !test.isSuite && isOnce && isNearest(to: test) ? self : nil
    }

    /// Whether no other such trait stands nearer to the test, whose own come last.
    private func isNearest(to test: Test) -> Bool {
        let nearest = test.traits.last { $0 is RecordedTrait } as? RecordedTrait
        return nearest?.place === place
    }

    /// The name of a test's fixture.
    private func fixture(of test: Test) -> String {
        let function = String(test.name.prefix { $0 != "(" }).filter { $0 != "`" }
        let isSuite = place.isSuite.withLock { $0 }
        guard let name, !isSuite else {
            let folder = name ?? test.sourceLocation.fileName.replacing(".swift", with: "")
            return "\(folder)/\(function)"
        }
        return name
    }

    /// Runs the test; what was wrong with its requests becomes its issues.
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
    /// Records the test the first time, and replays it from then on.
    ///
    /// ```swift
    /// @Test(.recorded("login")) func signsIn() async throws { … }
    /// ```
    /// - Parameters:
    ///   - name: The name of the fixture; at a suite that of a folder, in which each test has one of
    ///     its own name. Where it is left out, the folder has the name of the source file.
    ///   - options: How it is recorded and replayed.
    ///   - source: The source file, beside which the folder of the fixtures is.
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
