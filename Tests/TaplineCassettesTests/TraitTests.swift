// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineSystem
import Testing

@testable import TaplineCassettes

/// A client as an app has it, without any knowledge of tests.
struct ShopClient: Sendable {
    var session = URLSession(configuration: .default.tapped())

    func login(_ user: String) async throws -> String {
        guard let url = URL(string: "http://shop.test/login") else { return "" }
        let body = try JSONEncoder().encode(["user": user, "password": "hunter2"])
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, _) = try await session.data(for: request)
        return try JSONDecoder().decode([String: String].self, from: data)["name"] ?? ""
    }
}

/// The trait on functions, whose fixtures are next to this file; the host `shop.test` does not
/// exist.
@Suite struct TraitTests {
    /// The recording of the first case that ran.
    private static let first = Mutex<Recording?>(nil)

    @Test(.recorded("login")) func signsIn() async throws {
        #expect(try await ShopClient().login("ann") == "Ann of the fixture")
        let recording = try #require(Recording.current)
        #expect(recording.mode == .replay && recording.path.hasSuffix("/Fixtures/login.har"))
        #expect(recording.entries.count == 1)
    }

    @Test(.recorded("login", .init(capturesShared: false)), arguments: ["ann", "bob"])
    func casesShareAFixture(user: String) async throws {
        let recording = try #require(Recording.current)
        let first = TraitTests.first.withLock { first in
            first = first ?? recording
            return first
        }
        #expect(first === recording)
        #expect(try await ShopClient().login(user) == "Ann of the fixture")
    }

    @Test(
        .hasIssue(containing: "body $.user: recorded 'ann', now 'bob'"),
        .recorded("login", .withBodies)
    )
    func anotherUserHasNoRecording() async throws {
        await #expect(throws: URLError.self) { try await ShopClient().login("bob") }
    }

    @Test(
        .hasIssue(containing: "there is no fixture"),
        .recorded("nowhere", .init(mode: .replay))
    )
    func aMissingFixtureFails() async throws {}
}

/// The trait without a name.
@Suite(.recorded(nil, .init(mode: .off))) struct NamelessTraitTests {
    @Test func `default`() {
        let path = Recording.current?.path
        #expect(
            path?.hasSuffix("/Tests/TaplineCassettesTests/Fixtures/TraitTests/default.har") == true
        )
    }
}

/// Whether a test with an issue writes a fixture.
@Suite struct IssueTests {
    @Test(
        .issues(1, writes: false),
        .recorded("test", .into("anExpectationThatFailsWritesNothing()"))
    )
    func anExpectationThatFailsWritesNothing() { #expect(Bool(false)) }

    @Test(.issues(1, writes: false), .recorded("test", .into("anErrorWritesNothing()")))
    func anErrorWritesNothing() throws { throw CancellationError() }

    @Test(.issues(1, writes: true), .recorded("test", .into("aWarningIsNoFailure()")))
    func aWarningIsNoFailure() async {
        await send()
        Issue.record("beware", severity: .warning)
    }

    @Test(.issues(0, writes: true), .recorded("test", .into("aKnownIssueIsNoFailure()")))
    func aKnownIssueIsNoFailure() async {
        await send()
        withKnownIssue { #expect(Bool(false)) }
    }

    @Test(.issues(0, writes: true), .recorded("test", .into("withoutIssuesItIsWritten()")))
    func withoutIssuesItIsWritten() async { await send() }

    /// Its session might not be captured.
    @Test(.issues(1, writes: false), .recorded("test", .into("withoutRequestsNothingIsWritten()")))
    func withoutRequestsNothingIsWritten() {}

    /// Sends a request, which fails.
    private func send() async { _ = try? await Recording.current?.session.text(.refused) }
}

extension RecordedOptions {
    /// Returns options with a folder of this process.
    fileprivate static func into(_ name: String) -> RecordedOptions {
        RecordedOptions {
            $0.folder = "\(NSTemporaryDirectory())/tapline-\(getpid())-\(name)"
            $0.mode = .record
            $0.capturesShared = false
        }
    }
}

/// Runs a recorded test whose issues are ignored, and checks whether it has written its fixture.
private struct Issues: TestTrait, TestScoping {
    let count: Int
    let writes: Bool

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let seen = Mutex(0)
        let quiet = IssueHandlingTrait.compactMapIssues { issue in
            guard issue.isFailure || issue.severity == .warning else { return issue }
            seen.withLock { $0 += 1 }
            return nil
        }
        try await quiet.provideScope(for: test, testCase: testCase) {
            do {
                try await function()
            } catch {
                Issue.record(error)
            }
        }
        #expect(seen.withLock { $0 } == count)
        let folder = RecordedOptions.into(test.name).folder
        #expect((try? FileSystem.names(in: folder)) == (writes ? ["test.har"] : nil))
        try? FileSystem.removeFolder(folder)
    }
}

extension Trait where Self == Issues {
    fileprivate static func issues(_ count: Int, writes: Bool) -> Self {
        Issues(count: count, writes: writes)
    }
}

/// The trait on a suite: each test has its own fixture in a folder with the suite's name.
@Suite(.recorded("shop", .init(capturesShared: false))) struct SuiteTraitTests {
    @Test func first() async throws {
        #expect(try await ShopClient().login("ann") == "first")
        #expect(Recording.current?.path.hasSuffix("/Fixtures/shop/first.har") == true)
    }

    @Test func second() async throws {
        #expect(try await ShopClient().login("ann") == "second")
    }

    @Test(.recorded("login")) func theNearestTraitApplies() async throws {
        #expect(try await ShopClient().login("ann") == "Ann of the fixture")
    }
}

extension RecordedOptions {
    fileprivate static let withBodies = RecordedOptions { $0.matching.parts.insert(.body) }
}

/// Makes a test pass if it has an issue, and fail otherwise.
private struct HasIssue: TestTrait, TestScoping {
    let text: String

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withKnownIssue {
            try await function()
        } matching: { issue in
            "\(issue)".contains(text) || issue.error.map { "\($0)".contains(text) } == true
        }
    }
}

extension Trait where Self == HasIssue {
    fileprivate static func hasIssue(containing text: String) -> Self { HasIssue(text: text) }
}
