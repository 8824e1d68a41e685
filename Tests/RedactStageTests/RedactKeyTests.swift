// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import RedactStage

@Suite struct RedactKeyTests {
    @Test(arguments: [
        ("key_env: SHORT", "the key is too short; found 5 bytes, expected at least 16"),
        (
            "{key_env: KEY, key_file: x}",
            "both 'key_env' and 'key_file' are set; expected only one of them"
        ),
        ("key_file: /nowhere/at/all", "cannot read the key file; no such file or directory"),
        ("key_env: NO_SUCH_KEY", "the environment variable named by 'key_env' is not set"),
        (
            "key_env: ${KEY}",
            "invalid value for 'key_env'; expected the name of an environment variable"
        ),
        (
            "key_env: 0123456789abcdef",
            "invalid value for 'key_env'; expected the name of an environment variable"
        ),
        (
            "key_env: [A]",
            "invalid value for 'key_env'; expected the name of an environment variable"
        ),
        (
            "action: pseudonym",
            "'pseudonym' requires a key; found neither 'key_env' nor 'key_file'"
        ),
        (
            "json: [a, {name: $.b, action: pseudonym}]",
            "'pseudonym' requires a key; found neither 'key_env' nor 'key_file'"
        ),
        ("hash_key: 0123456789abcdef", "unknown option 'hash_key' in 'redact'"),
    ])
    func invalidKeysAreErrors(yaml: String, message: String) {
        let environment = ["SHORT": "short", "KEY": "0123456789abcdef"]
        let built = build(yaml, environment: environment)
        #expect(built.factory == nil)
        #expect(built.problems.first?.hasPrefix(message) == true, "\(built.problems)")
    }

    @Test(arguments: [
        "key_env: 4f7a2c-this-is-a-key", "key_env: deadbeefdeadbeef", "{key_env: 'q+/=9'}",
        "key_env: SHORT_ONE", "key_env: ${SHORT_ONE}", "key: deadbeefdeadbeef",
        "hash_key: 'q+/=9'", "{ max_depth: x, secret: deadbeefdeadbeef }",
        "{ hmac-token: 4f7a2c-this-is-a-key, max_depth: 0 }",
    ])
    func noMessageShowsAKey(yaml: String) throws {
        let secrets = ["4f7a2c-this-is-a-key", "deadbeefdeadbeef", "q+/=9", "tiny-value"]
        let rendered = try #require(problems(yaml, ["SHORT_ONE": "tiny-value"]))
        #expect(rendered.contains("test.yaml:1:"))
        for secret in secrets { #expect(!rendered.contains(secret), "\(rendered)") }
    }

    /// Returns everything that is printed for an invalid configuration.
    private func problems(_ yaml: String, _ environment: [String: String]) -> String? {
        let environment = Environment(environment)
        let source = ConfigSource(name: "test.yaml", bytes: Array(yaml.utf8))
        var diagnostics = Diagnostics()
        let plugin = StagePlugin.redact
        guard let node = ConfigReader().read(source, into: &diagnostics) else { return nil }
        let options = plugin.description.options.decode(
            node,
            owner: "redact",
            into: &diagnostics,
            environment: environment
        )
        var context = BuildContext(id: "redact", environment: environment)
        if let options, plugin.build(options, &context) != nil { return nil }
        return (diagnostics.all + context.diagnostics.all).map(\.rendered).joined(separator: "\n")
    }

    @Test func aKeyInAnUnknownOptionIsAnErrorWithAHelp() throws {
        let rendered = try #require(problems("key: deadbeefdeadbeef", [:]))
        #expect(rendered.contains("1 | key: ****************\n"))
        #expect(
            rendered.contains(
                "help: a secret must not be written here: name its variable or its file with 'key_env' or "
                    + "'key_file'"
            )
        )
    }

    @Test func aMissingKeyDoesNotHideOtherErrors() {
        let built = build("{action: pseudonym, detectors: [none-such]}")
        #expect(built.problems.count == 2, "\(built.problems)")
    }

    @Test func aVariableWithATypicalNameIsShown() throws {
        let rendered = try #require(problems("key_env: MY_KEY", [:]))
        #expect(rendered.contains("key_env: MY_KEY"))
    }

    @Test func hashesDependOnTheKey() throws {
        let yaml = "{action: hash, key_env: KEY}"
        func hash(_ key: String, _ yaml: String) throws -> String? {
            let factory = try #require(build(yaml, environment: ["KEY": key]).factory)
            let stage = try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
            var full = exchange(fields: ["Authorization": "s"])
            var context = ExchangeContext()
            _ = try stage?.record(&full, &context)
            return full.request.fields.first("authorization")?.text
        }
        // printf s | openssl dgst -sha256 -hmac 0123456789abcdef
        let known = "h-e562fd68698de935e4ac00d60285e3f9"
        #expect(try hash("0123456789abcdef", yaml) == known)
        // Shells and editors end files with a line feed.
        #expect(try hash("0123456789abcdef\n", yaml) == known)
        #expect(try hash("0123456789abcdeg", yaml) != known)
    }
}
