// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

/// The redacted values that a listener receives.
@Suite struct SecretListenerTests {
    private final class Listener: SecretListener {
        let observed = Mutex<[String]>([])

        func observe(_ secret: Span<UInt8>, action: String) {
            let text = String(decoding: Array(copying: secret), as: UTF8.self)
            observed.withLock { $0.append("\(action) \(text)") }
        }
    }

    /// Returns the values reported for an exchange, and the redacted exchange.
    private func observed(_ exchange: Exchange, _ yaml: String) throws -> ([String], Exchange) {
        let listener = Listener()
        let factory = try #require(build(yaml, listener: listener).factory)
        let stage = try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        var result = exchange
        var context = ExchangeContext()
        _ = try #require(stage).record(&result, &context)
        return (listener.observed.withLock { $0 }, result)
    }

    private static let pseudonym = "{ action: pseudonym, key_env: TAPLINE_REDACT_KEY }"
    private static let jwt =
        "eyJhbGciOiJub25lIn0.eyJwYXNzd29yZCI6Imh1bnRlcjIifQ.c2lnbmF0dXJlLW9mLWl0"

    @Test(arguments: [
        ("application/json", #"{"password":"a\u0062c","user":"ann"}"#, "{}", ["mask abc"]),
        (
            "application/json", #"{"token":{"v":"x y"},"pin":42}"#, "{}",
            [#"mask {"v":"x y"}"#, "mask 42"]
        ),
        ("application/json", #"{"password":"x","b":["#, "{}", ["mask x"]),
        ("application/json", #"{"password":"x"}"#, "action: remove", ["mask x"]),
        (
            "application/json", #"{"password":"x","pin":{"name":1}}"#,
            "{ json: [{ name: pin, action: hash }] }",
            ["mask x", #"hash {"name":1}"#]
        ),
        (
            "application/json", #"{"password":"x","pin":42}"#, pseudonym,
            ["pseudonym x", "pseudonym 42"]
        ),
        ("application/x-www-form-urlencoded", "token=a%2Fb+c&user=ann", "{}", ["mask a/b c"]),
        ("text/plain", "password=hunter2", "{}", ["mask hunter2"]),
        ("text/plain", "it is U0stQUJDRDEyMzQgYW5k", "detectors: key", ["mask SK-ABCD1234"]),
        ("text/plain", "it is \(jwt)", "{}", ["mask hunter2", "mask \(jwt)"]),
        ("text/plain", "nothing", "{}", []),
    ])
    func secretsAreReported(type: String, body: String, yaml: String, secrets: [String]) throws {
        let (observed, _) = try observed(exchange(type: type, body: body), yaml)
        #expect(Set(observed) == Set(secrets))
    }

    @Test func headerSecretsAreReported() throws {
        var message = exchange(
            target: "https://ann:secret@shop.test/a?api_key=%41b",
            fields: ["Authorization": "Bearer abc", "Cookie": "sid=1; lang=de"]
        )
        message.tags["password"] = "in a tag"
        let (observed, clean) = try observed(message, "action: remove")
        #expect(
            Set(observed) == [
                "mask ann:secret", "mask Ab", "mask Bearer abc", "mask 1", "mask de",
                "mask in a tag",
            ]
        )
        // `remove` has no replacement, so the value is masked for the listener.
        #expect(clean.request.fields.first("Authorization") == "[redacted]")
    }
}
