// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineCapture
import TestSupport
import Testing

@testable import TaplineCassettes

/// A value that is masked in one place of a fixture is masked everywhere.
@Suite struct SpreadSecretTests {
    private let test: RecordedTest

    init() throws { test = try RecordedTest() }

    /// Records with a server, stops it, and replays the same requests.
    private func recordAndReplay(
        _ change: (inout RecordedOptions) -> Void = { _ in },
        _ body: (URLSession, String) async throws -> Void
    ) async throws {
        var shop: Shop? = try Shop()
        let url = try #require(shop?.url)
        for mode in [RecordedMode.record, .replay] {
            let problems = try await test.run(test.options(mode, change)) {
                (recording) async throws in try await body(recording.session, url)
            }
            #expect(problems == [], "\(mode)")
            shop = nil
        }
    }

    /// Requests a token under a name that identifies it.
    private func grant(_ number: Int, _ session: URLSession, _ url: String) async throws -> String {
        struct Grant: Decodable { let access_token: String }
        let grant = try #require(URL(string: "\(url)/grant/\(number)"))
        return try JSONDecoder().decode(Grant.self, from: try await session.data(from: grant).0)
            .access_token
    }

    /// Sends a token in places where no name identifies it.
    private func use(_ token: String, _ session: URLSession, _ url: String) async throws {
        let encoded = token.encoded
        let pair = Data("ann:\(token)".utf8).base64EncodedString()
        let paths = ["/t/\(encoded)/items", "/t/x-\(encoded)?state=\(encoded)&page=1"]
        for path in paths {
            let text = try await session.text(#require(URL(string: url + path)))
            #expect(text.hasPrefix("200 /t/"))
        }
        let echo = try #require(URL(string: url + "/echo"))
        let inner = #"{"ticket":"\#(token)"}"#
        let json = try JSONEncoder().encode([
            "other": token, "inner": inner, "pair": pair, "text": "it is \(token), she said",
        ])
        var request = URLRequest(echo, post: String(decoding: json, as: UTF8.self))
        request.setValue("v=\(token)", forHTTPHeaderField: "X-Custom")
        request.setValue(pair, forHTTPHeaderField: "X-Pair")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, _) = try await session.data(for: request)
        let answer = try JSONDecoder().decode([String: String].self, from: data)
        #expect(answer["other"] == token && answer["inner"] == inner && answer["pair"] == pair)
        let form = URLRequest(
            echo,
            post: "who=ann&other=\(encoded)",
            type: "application/x-www-form-urlencoded"
        )
        #expect(
            try await session.text(form).removingPercentEncoding == "201 who=ann&other=\(token)"
        )
        let text = URLRequest(echo, post: "it is \(token)", type: "text/plain")
        #expect(try await session.text(text) == "201 it is \(token)")
    }

    @Test(
        arguments: [Component.Redaction.mask, .pseudonym, .hash],
        [RecordedOptions.Format.har, .ndjson]
    )
    func aTokenIsMaskedEverywhere(
        action: Component.Redaction,
        format: RecordedOptions.Format
    ) async throws {
        let key = "\(test.folder)/key"
        try "0123456789abcdef0123456789abcdef".write(toFile: key, atomically: true, encoding: .utf8)
        try await recordAndReplay {
            $0.stages = [.redact(action: action, keyFile: key)]
            $0.format = format
            $0.matching = Matching([.standard, .body], fields: ["X-Custom", "X-Pair"])
            $0.isStrict = true
        } _: { session, url in
            for number in Shop.tokens.indices {
                try await use(try await grant(number, session, url), session, url)
            }
        }
        let fixture = try test.text("test.\(format.rawValue)").lowercased()
        for token in Shop.tokens {
            let hex = token.utf8.map { String($0, radix: 16) }.joined()
            var forms = [token, token.encoded, token.replacing("/", with: "\\/"), hex]
            for text in [token, "ann:\(token)"] {
                forms.append(Data(text.utf8).base64EncodedString())
            }
            for form in forms { #expect(!fixture.contains(form.lowercased()), "\(form)") }
        }
        #expect(fixture.contains("ann"))
    }

    /// A secret of the app is recognized only when it is sent under its name.
    @Test func aSecretOfTheAppIsMaskedBeforeItsNameIsKnown() async throws {
        let secret = "key-8d7f6a5b4c3d"
        try await recordAndReplay {
            $0.matching = Matching([.standard, .body], fields: ["X-Custom"])
        } _: { session, url in
            let path = try #require(URL(string: "\(url)/v1/\(secret)/items?of=\(secret)&page=1"))
            let texts = URLRequest(path, post: #"{"list":["\#(secret)",7]}"#)
            let plain = URLRequest(path, post: "it is \(secret)!", type: "text/plain")
            for var request in [texts, plain] {
                request.setValue("a \(secret) b", forHTTPHeaderField: "X-Custom")
                _ = try await session.data(for: request)
            }
            var request = URLRequest(url: try #require(URL(string: "\(url)/a")))
            request.setValue(secret, forHTTPHeaderField: "X-API-Key")
            #expect(try await session.text(request) == "200 /a")
        }
        #expect(try !test.text().contains("8d7f6a5b4c3d"))
        let problems = try await test.run(
            test.options(.replay) { $0.matching = Matching(fields: ["X-Custom"]) }
        ) { (recording) async throws in
            let text = try test.text()
            let match = try #require(text.firstMatch(of: /"url":\s*"(http:[^"]*)\/v1/))
            let url = try #require(URL(string: "\(match.1)/v1/other/things?of=\(secret)&page=2"))
            let request = URLRequest(url, post: #"{"list":["other",7]}"#)
            _ = try? await recording.session.data(for: request)
        }
        let text = try #require(problems.first)
        #expect(problems.count == 1 && text.contains("query item 'page': recorded '1'"))
        #expect(!text.contains("query item 'of'") && !text.contains(secret))
        #expect(text.contains("?of=[redacted]&page=2"))
    }

    /// Pseudonyms and hashes replace the secret everywhere.
    @Test(arguments: [Component.Redaction.pseudonym, .hash])
    func aSecretOfTheAppIsReplacedOnceItsNameIsKnown(action: Component.Redaction) async throws {
        let key = "\(test.folder)/key"
        try "0123456789abcdef0123456789abcdef".write(toFile: key, atomically: true, encoding: .utf8)
        try await recordAndReplay {
            $0.stages = [.redact(action: action, keyFile: key)]
        } _: { session, url in
            var request = URLRequest(url: try #require(URL(string: "\(url)/a")))
            request.setValue("key-8d7f6a5b4c3d", forHTTPHeaderField: "X-API-Key")
            _ = try await session.data(for: request)
            let path = try #require(URL(string: "\(url)/v1/key-8d7f6a5b4c3d/items"))
            _ = try await session.data(from: path)
        }
        #expect(try !test.text().contains("8d7f6a5b4c3d"))
    }

    /// Values that are not tokens are kept, even if they are masked elsewhere; so are host names.
    @Test func wordsAreKept() async throws {
        try await recordAndReplay { session, url in
            let path = try #require(URL(string: "\(url)/german/eu-central-1/2026-11-22T10:00:00Z"))
            var request = URLRequest(path, post: #"{"region":"eu-central-1","id":104233}"#)
            let host = try #require(path.host)
            request.setValue(
                "lang=german; region=eu-central-1; at=2026-11-22T10:00:00Z; id=104233; host=\(host)",
                forHTTPHeaderField: "Cookie"
            )
            #expect(
                try await session.text(request).hasSuffix(
                    "/german/eu-central-1/2026-11-22T10:00:00Z"
                )
            )
        }
        let text = try test.text()
        #expect(text.contains("/german/eu-central-1/") && text.contains("104233"))
        #expect(text.contains("http://127.0.0.1:") && !text.contains("lang=german"))
    }

    /// Known test values are kept.
    @Test func allowedValuesAreKept() async throws {
        let token = Shop.tokens[0]
        try await recordAndReplay {
            $0.stages = [.redact(allow: [token])]
        } _: { session, url in
            _ = try await grant(0, session, url)
            _ = try await session.text(#require(URL(string: "\(url)/t/\(Shop.tokens[0])")))
        }
        #expect(try test.text().contains("/t/\(token)"))
    }

    /// Values that `remove` removes are masked elsewhere.
    @Test func removedValuesAreMaskedEverywhere() async throws {
        let shop = try Shop()
        let options = test.options(.record) { $0.stages = [.redact(action: .remove)] }
        let problems = try await test.run(options) { (recording) async throws in
            let token = try await grant(0, recording.session, shop.url)
            _ = try await recording.session.text(shop.path("/t/\(token)/\(token.uppercased())"))
        }
        #expect(problems == [])
        #expect(try !test.text().lowercased().contains(Shop.tokens[0]))
    }

    @Test func aSecretThatCannotBeRemovedPreventsTheFixture() async throws {
        let shop = try Shop()
        let problems = try await test.run(test.options(.record)) { (recording) async throws in
            let token = try await grant(0, recording.session, shop.url)
            let image = URLRequest(shop.path("/image"), post: "a \(token)", type: "text/plain")
            _ = try await recording.session.data(for: image)
        }
        let text = try #require(problems.first)
        #expect(problems.count == 1 && text.hasPrefix("the fixture is not written"))
        #expect(text.contains("log.entries[1].response.content.text, in base64"))
        #expect(!text.contains(Shop.tokens[0]))
        #expect(throws: (any Error).self) { try test.text() }
    }

    /// A failure is replayed with its code.
    @Test func aFailureKeepsItsCode() async throws {
        try await recordAndReplay { session, url in
            let token = try await grant(0, session, url)
            let broken = try #require(URL(string: "\(url)/broken?state=\(token)"))
            await #expect(throws: URLError.self) { try await session.data(from: broken) }
        }
        #expect(try !test.text().contains(Shop.tokens[0]))
    }
}

extension String {
    /// The text, encoded for a URL.
    fileprivate var encoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }
}
