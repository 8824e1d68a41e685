// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCapture
import Testing

@testable import TaplineRecorded

/// A client like that of an app, which knows nothing of tests.
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

/// The trait on functions, whose fixtures stand beside this file; there is no `shop.test`.
@Suite struct TraitTests {
    @Test(.recorded("login")) func signsIn() async throws {
        #expect(try await ShopClient().login("ann") == "Ann of the fixture")
        let recording = try #require(Recording.current)
        #expect(recording.mode == .replay && recording.path.hasSuffix("/Fixtures/login.har"))
        #expect(recording.entries.count == 1)
    }

    @Test(.recorded("login", .init { $0.capturesShared = false }), arguments: ["ann", "bob"])
    func casesShareAFixture(user: String) async throws {
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
        .recorded("nowhere", .init { $0.mode = .replay })
    )
    func aMissingFixtureFails() async throws {}
}

/// The trait on a suite: each test has a fixture of its own, in a folder of that name.
@Suite(.recorded("shop", .init { $0.capturesShared = false })) struct SuiteTraitTests {
    @Test func first() async throws {
        #expect(try await ShopClient().login("ann") == "first")
        #expect(Recording.current?.path.hasSuffix("/Fixtures/shop/first.har") == true)
    }

    @Test func second() async throws {
        #expect(try await ShopClient().login("ann") == "second")
    }

    @Test(.recorded("login")) func theNearestTraitCounts() async throws {
        #expect(try await ShopClient().login("ann") == "Ann of the fixture")
    }
}

extension RecordedOptions {
    fileprivate static let withBodies = RecordedOptions { $0.matching.parts.insert(.body) }
}

/// Has a test pass that has an issue, and fail without it.
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
