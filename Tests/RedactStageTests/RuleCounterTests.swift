// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

@Suite struct RuleCounterTests {
    /// Returns the counts of a configuration's rules for an exchange, and the tag.
    private func counted(
        _ exchanges: Exchange...,
        yaml: String
    ) throws -> (counts: [String: Int], tag: String?) {
        let factory = try #require(build(yaml).factory)
        var tag: String?
        for exchange in exchanges {
            // Each in a lane of its own.
            let context = StageContext(id: "redact")
            let stage = try #require(try factory.makeStage(context) as? any RecordStage)
            var result = exchange
            var exchangeContext = ExchangeContext()
            _ = try stage.record(&result, &exchangeContext)
            tag = result.tags["tapline.redacted"]
        }
        #expect(factory.metrics.allSatisfy { $0.name == "redactions" && $0.durations == nil })
        let counts = factory.metrics.map { ($0.subject, $0.count) }
        return (Dictionary(uniqueKeysWithValues: counts), tag)
    }

    private static let everywhere: Exchange = {
        var full = exchange(
            target: "/?token=a&password=b&token=c",
            fields: [
                "Authorization": "x", "Cookie": "a=1; b=2", "Referer": "https://u:p@h/?sid=1",
                "X-Note": "password=5",
            ],
            type: "application/json",
            body: #"{"password":"x","list":[{"otp":1},{"otp":{"password":2}}],"n":"secret=1234"}"#
        )
        full.tags = ["token": "t", "note": "pin: 1"]
        full.response = Response(status: 200, fields: ["Set-Cookie": "sid=5; Path=/"])
        full.response?.fields.append(name: "Content-Type", value: "application/json")
        full.response?.body = Body(Array(#"{"a":1,"b"#.utf8))
        return full
    }()

    private static let expected = [
        // In fields and JSON strings, query names take precedence over text names.
        "query token": 2, "query password": 2, "header authorization": 1, "cookie *": 3,
        "url user-info": 1, "query sid": 1, "query secret": 1, "json password": 1, "json otp": 2,
        "text token": 1, "text pin": 1, "in doubt": 1,
    ]

    @Test(arguments: ["mask", "remove", "hash"])
    func eachRedactionIsCountedForItsRule(action: String) throws {
        let found = try counted(Self.everywhere, yaml: "action: \(action)")
        #expect(found.counts == Self.expected)
        #expect(found.tag == nil)
    }

    @Test func countsOfLanesAreSummed() throws {
        let one = exchange(fields: ["Authorization": "x"])
        let two = exchange(fields: ["Authorization": "x", "X-Token": "y"])
        let found = try counted(one, two, exchange(), yaml: "{}")
        #expect(found.counts == ["header authorization": 2, "header token": 1])
    }

    @Test func copiesThatAreOnlyShownAreMarkedButNotCounted() throws {
        let factory = try #require(build("mark: true").factory)
        let context = StageContext(id: "redact")
        let stage = try #require(try factory.makeStage(context) as? any RecordStage)
        for isPreview in [true, false] {
            var copy = exchange(fields: ["Authorization": "x"])
            var exchangeContext = ExchangeContext()
            exchangeContext.isPreview = isPreview
            _ = try stage.record(&copy, &exchangeContext)
            #expect(copy.tags["tapline.redacted"] == "header authorization")
            #expect(factory.metrics.map(\.count) == (isPreview ? [] : [1]))
        }
    }

    @Test func userRulesAreListedEvenIfTheyNeverMatched() throws {
        let yaml = "{headers: [x-a, X-B], json: [$.card, email], query: ['*id*'], cookies: [sid]}"
        let one = exchange(
            fields: ["X-A": "1", "X-Note": "email=me"],
            type: "application/json",
            body: #"{"card":{"email":1}}"#
        )
        let found = try counted(one, yaml: yaml)
        #expect(
            found.counts == [
                "header x-a": 1, "header x-b": 0, "json $.card": 1, "json email": 1,
                "query *id*": 0, "cookie sid": 0,
            ]
        )
    }

    @Test func aTagListsTheRulesThatFired() throws {
        let one = exchange(
            target: "/?token=secret-value",
            fields: ["X-Token": "a", "Authorization": "b"],
            type: "application/json",
            body: #"{"password":1,"x":{"password":2}}"#
        )
        let found = try counted(one, yaml: "mark: true")
        #expect(found.tag == "json password, query token, header token, header authorization")
        #expect(try counted(exchange(), yaml: "mark: true").tag == nil)
        // No state of one exchange is left for the next one in the same lane.
        let factory = try #require(build("mark: true").factory)
        let stage = try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        var context = ExchangeContext()
        var first = one
        _ = try stage?.record(&first, &context)
        var second = exchange(fields: ["X-Token": "a"])
        _ = try stage?.record(&second, &context)
        #expect(second.tags["tapline.redacted"] == "header token")
    }

    @Test func theTagIsBounded() throws {
        let names = (0..<40).map { "x-\($0)" }
        var fields: FieldSection = [:]
        for name in names { fields.append(name: name, value: "1") }
        let yaml = "{mark: true, preset: none, headers: [\(names.joined(separator: ", "))]}"
        let tag = try #require(try counted(exchange(fields: fields), yaml: yaml).tag)
        #expect(tag.hasPrefix("header x-0, header x-1, "))
        #expect(tag.hasSuffix("header x-31, and 8 more"))
    }

    @Test func theTagOfAnotherStageIsKept() throws {
        var one = exchange(fields: ["X-B": "1"])
        one.tags["tapline.redacted"] = "header x-a"
        let found = try counted(one, yaml: "{mark: true, preset: none, headers: x-b}")
        #expect(found.tag == "header x-a, header x-b")
    }

    @Test func versionAndKeyOfStandInsAreRecorded() throws {
        let one = exchange(fields: ["X-Token": "a"])
        func tag(_ options: String, key: String = "0123456789abcdef") throws -> String? {
            let yaml = "{\(options), key_env: TAPLINE_REDACT_KEY}"
            let built = build(yaml, environment: ["TAPLINE_REDACT_KEY": key])
            let made = try #require(try built.factory?.makeStage(StageContext(id: "redact")))
            var full = one
            var context = ExchangeContext()
            _ = try (made as? any RecordStage)?.record(&full, &context)
            return full.tags["tapline.pseudonyms"]
        }
        let first = try #require(try tag("mark: true, action: pseudonym"))
        #expect(first.hasPrefix("2-") && first.count == 10)
        #expect(try tag("mark: true, preset: strict") == first)
        let other = try tag("mark: true, action: pseudonym", key: "fedcba9876543210")
        #expect(other != first)
        #expect(try tag("mark: true") == nil)
        #expect(try tag("action: pseudonym") == nil)
    }
}
