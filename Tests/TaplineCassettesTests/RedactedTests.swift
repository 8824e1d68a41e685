// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCapture
import TestSupport
import Testing

@testable import TaplineCassettes

/// Fixtures contain no secrets, and answer requests that do.
@Suite struct RedactedTests {
    private let test: RecordedTest

    init() throws { test = try RecordedTest() }

    /// Signs in, and uses the token from the response.
    private func signIn(_ session: URLSession, at url: String) async throws {
        let body = #"{"user":"ann","password":"hunter2-of-ann"}"#
        let login = try #require(URL(string: url + "/login?api_key=key-of-ann"))
        let (data, _) = try await session.data(for: URLRequest(login, post: body))
        let answer = try JSONDecoder().decode([String: String].self, from: data)
        let token = try #require(answer["token"])
        let cart = try #require(URL(string: url + "/cart?token=\(token.encoded)&user=ann"))
        var request = URLRequest(url: cart)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("mail to ann@shop.test", forHTTPHeaderField: "X-Note")
        #expect(try await session.text(request) == "200 /cart")
    }

    /// With masks, pseudonyms and hashes, with and without detectors.
    @Test(arguments: [Component.Redaction.mask, .pseudonym, .hash], [true, false])
    func secretsStayOut(action: Component.Redaction, detects: Bool) async throws {
        let key = "\(test.folder)/key"
        try "0123456789abcdef0123456789abcdef".write(toFile: key, atomically: true, encoding: .utf8)
        let redact = Component.redact(
            detectors: detects ? .standard : .off,
            action: action,
            keyFile: key
        )
        var shop: Shop? = try Shop()
        let url = try #require(shop?.url)
        for mode in [RecordedMode.record, .replay] {
            let options = test.options(mode) {
                $0.stages = [redact]
                // A hash of a whole field differs if the field contains a hash.
                $0.matching = Matching(
                    [.standard, .body],
                    fields: ["X-Note", "Cookie"] + (action == .hash ? [] : ["Authorization"])
                )
            }
            let problems = try await test.run(options) { recording in
                try await signIn(recording.session, at: url)
            }
            #expect(problems == [])
            shop = nil
        }
        let text = try test.text()
        for secret in ["hunter2", "key-of-ann", "tok-of-the", "s3cr3t"] {
            #expect(!text.contains(secret))
        }
        #expect(text.contains("ann@shop.test") != detects)
    }

    /// A request without a recording is redacted before it is shown.
    @Test func noSecretIsShown() async throws {
        let shop = try Shop()
        try await test.run(test.options(.record)) { recording in
            _ = try await recording.session.data(from: shop.path("/a?token=token-of-ann&page=1"))
        }
        let problems = try await test.run(test.options(.replay)) { recording in
            let url = shop.path("/a?token=token-of-bob&page=2")
            await #expect(throws: URLError.self) { try await recording.session.data(from: url) }
        }
        #expect(problems.count == 1)
        #expect(problems[0].contains("query item 'page': recorded '1', now '2'"))
        #expect(!problems[0].contains("token-of") && !problems[0].contains("'token'"))
    }

    /// The default options redact, with detectors.
    @Test func theDefaultOptionsRedact() async throws {
        let shop = try Shop()
        let options = RecordedOptions {
            $0.folder = test.folder
            $0.mode = .record
        }
        try await test.run(options) { recording in
            var request = URLRequest(
                shop.path("/echo"),
                post: "mail ann@shop.test",
                type: "text/plain"
            )
            request.setValue("Bearer abc-of-ann", forHTTPHeaderField: "Authorization")
            _ = try await recording.session.data(for: request)
        }
        let text = try test.text()
        #expect(!text.contains("ann@shop.test") && !text.contains("abc-of-ann"))
    }
}

extension String {
    /// The text, encoded for a query.
    fileprivate var encoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }
}
