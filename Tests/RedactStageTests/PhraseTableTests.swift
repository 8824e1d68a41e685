// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RedactStage

@Suite struct PhraseTableTests {
    private static func standard() -> NameRules {
        var list = RuleList()
        list.addStandard(.mask)
        return list.json
    }

    /// Realistic names; none was found when only hyphens joined words.
    @Test(arguments: [
        "openai_api_key", "OPENAI_API_KEY", "JWT_SECRET", "github_client_secret", "db_private_key",
        "secret_key_base", "my_access_key", "ssh_passphrase", "db_pwd", "user_otp", "app_jwt",
        "mySecret", "pass", "passwd", "pwd", "auth.pass", "secrets", "tokens", "apiKeys",
        "accessTokens", "SecretString", "tokenValue", "api_key_v2", "secret2", "X-Api-Token-1",
        "API KEY", "a[b][apiKey][0]", "APIKey", "myAPIKeyV2", "key.private_key_b64", "x-apikey",
        "slacktoken", "stripe_secret_key_live", "db password", "__csrf", "2fa_code", "connect.sid",
        "session[sid]", "X-Sid", "ａｐｉ＿ｋｅｙ", "pass\u{200B}word", "to\u{AD}ken", "api\u{FEFF}_key",
        "to\u{212A}en",
    ])
    func namesOfSecretsHaveARule(name: String) {
        let rules = Self.standard()
        #expect(rules.rule(forNested: name.utf8.span) != nil)
        let isLikely = rules.mayMatch(name.utf8.span)
        #expect(isLikely)
    }

    @Test(arguments: [
        "keyboard", "monkey_id", "tokenizer", "tokens_used", "primary_key", "passenger", "compass",
        "secretary", "token_count", "max_tokens", "totalTokens", "usage.prompt_tokens",
        "account_sid",
        "messageSid", "pinned", "opinion", "gpio_pins", "bypass", "surpass", "key", "keys",
        "public_key",
        "idempotency_key", "next_page_token", "gmail.nextPageToken", "address2", "line1", "value",
        "string", "data", "v2", "1", "", "_", "s", "ss", "allow_credentials", "session", "author",
        "passed", "tokenized", "x", "description", "pinterest", "inside", "asid",
    ])
    func otherNamesHaveNone(name: String) {
        #expect(Self.standard().rule(forNested: name.utf8.span) == nil)
    }

    /// Every phrase, with any prefix and suffix, and with words joined in any way.
    @Test func generatedNamesOfSecretsHaveARule() {
        let rules = Self.standard()
        var random = Random(seed: 17)
        let prefixes = [
            "", "openai", "github", "db", "my", "user", "x", "aws", "prod", "old", "app",
        ]
        let suffixes = ["", "", "value", "string", "text", "data", "bin", "v2", "2", "1", "live"]
        var misses: [String] = []
        for phrase in StandardPreset.shortSecrets + StandardPreset.names {
            for _ in 0..<40 {
                let words =
                    [random.pick(prefixes)]
                    + phrase.split(separator: "_").map(String.init) + [random.pick(suffixes)]
                // Only ASCII letters are compared without case.
                guard phrase.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
                let name = random.joined(words.filter { !$0.isEmpty })
                if rules.rule(forNested: name.utf8.span) == nil { misses.append(name) }
                if !rules.mayMatch(name.utf8.span) { misses.append("mayMatch \(name)") }
            }
        }
        #expect(misses == [])
    }

    @Test func theLongestPhraseWins() {
        var rules = PhraseTable()
        rules.add("key", Rule(1, .mask))
        rules.add("api_key", Rule(2, .mask))
        rules.add("public_key", nil)
        rules.add("value", nil, .qualifier)
        #expect(rules.rule(for: "x_key".utf8.span) == Rule(1, .mask))
        #expect(rules.rule(for: "x_api_key".utf8.span) == Rule(2, .mask))
        #expect(rules.rule(for: "x_public_key".utf8.span) == nil)
        #expect(rules.rule(for: "keyValue".utf8.span) == Rule(1, .mask))
        #expect(rules.rule(for: "key_value_x".utf8.span) == nil)
        #expect(rules.rule(for: "monkey".utf8.span) == nil)
    }

    @Test func longNamesTakeLinearTime() {
        let rules = Self.standard()
        for unit in ["value_", "token", "1", "s", "v1", "-", "é", "K"] {
            let name = String(repeating: unit, count: (1 << 20) / unit.utf8.count)
            _ = rules.rule(forNested: name.utf8.span)
        }
    }

    @Test(arguments: [
        (#"{"pass":true,"tokens":4096,"secret":null,"token":0}"#, nil),
        (#"{"max_tokens":100000,"password":false}"#, nil),
        (#"{"pin":1234}"#, #"{"pin":"*"}"#), (#"{"token":493021}"#, #"{"token":"*"}"#),
        (#"{"password":123}"#, #"{"password":"*"}"#), (#"{"otp":7}"#, #"{"otp":"*"}"#),
        (#"{"tokens":12345678}"#, #"{"tokens":"*"}"#), (#"{"pass":"no"}"#, #"{"pass":"*"}"#),
    ])
    func flagsAndCountsStay(body: String, expected: String?) throws {
        #expect(try redactBody(body, "application/json", "mask: '*'") == expected ?? body)
        // A user rule keeps no values.
        #expect(
            try redactBody(#"{"pass":true}"#, "application/json", "{mask: '*', json: [pass]}")
                == #"{"pass":"*"}"#
        )
    }
}

extension String {
    fileprivate var withCapital: String { prefix(1).uppercased() + dropFirst() }
}

extension Random {
    /// Returns words as a name: joined by a character, or by capitals.
    fileprivate mutating func joined(_ words: [String]) -> String {
        switch below(8) {
        case 0: words.joined(separator: "-")
        case 1: words.joined(separator: ".")
        case 2: words.joined(separator: " ")
        case 3: words.joined(separator: "_").uppercased()
        case 4: words[0] + words.dropFirst().map(\.withCapital).joined()
        case 5: words.map(\.withCapital).joined()
        case 6: words.map(\.withCapital).joined(separator: "-")
        default: words.joined(separator: "_")
        }
    }
}
