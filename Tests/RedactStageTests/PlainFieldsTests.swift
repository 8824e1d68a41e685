// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

/// A stage that redacts several exchanges.
private struct OneStage {
    private let stage: any RecordStage

    init(_ yaml: String) throws {
        let factory = try #require(build(yaml).factory)
        let made = try factory.makeStage(StageContext(id: "redact"))
        stage = try #require(made as? any RecordStage)
    }

    /// Returns an exchange as redacted by the stage after the previous ones.
    func redact(_ exchange: Exchange) throws -> Exchange {
        var result = exchange
        var context = ExchangeContext()
        _ = try stage.record(&result, &context)
        return result
    }

    /// Returns a field as redacted by the stage.
    func value(_ name: String, _ value: String) throws -> String? {
        try redact(exchange(fields: [name: value])).request.fields.first(name)?.text
    }
}

/// The state that a lane keeps from one exchange does not affect the next.
@Suite struct PlainFieldsTests {
    /// The same bytes with a different boundary between name and value are a different field.
    @Test func aSecretIsMaskedAfterAFieldWithTheSameBytes() throws {
        let stage = try OneStage("{}")
        for _ in 0..<3 {
            #expect(try stage.value("X-To", "ken-of-mine-0123") == "ken-of-mine-0123")
            #expect(try stage.value("X-Token", "-of-mine-0123") == "[redacted]")
            #expect(try stage.value("X-T", "oken-of-mine-0123") == "oken-of-mine-0123")
        }
    }

    @Test func fieldsWithTheSameNameAreSearchedSeparately() throws {
        let stage = try OneStage("{}")
        for round in 0..<3 {
            for number in 0..<300 {
                let plain = "nothing to find, number \(number)"
                #expect(try stage.value("X-Note", plain) == plain, "\(round)")
                let secret = try stage.value("X-Note", "password=hunter\(number)")
                #expect(secret == "password=[redacted]", "\(round)")
                #expect(try stage.value("X-Sid", "plain-\(number)") == "[redacted]", "\(round)")
            }
        }
    }

    @Test func tagsAreDistinguishedByNameAndValue() throws {
        let stage = try OneStage("{}")
        func value(_ name: String, _ value: String) throws -> String? {
            var tagged = exchange()
            tagged.tags = [name: value]
            return try stage.redact(tagged).tags[name]
        }
        for _ in 0..<4 {
            #expect(try value("to", "ken-of-mine") == "ken-of-mine")
            #expect(try value("token", "-of-mine") == "[redacted]")
            #expect(try value("note", "nothing to find") == "nothing to find")
            #expect(try value("note", "password=hunter2") == "password=[redacted]")
            #expect(try stage.value("to", "ken-of-mine") == "ken-of-mine")
        }
    }

    @Test func aTagNextToAPlainOneIsSearched() throws {
        let stage = try OneStage("{}")
        for number in 0..<4 {
            var tagged = exchange()
            tagged.tags = ["team": "checkout", "note": "pin: \(number)"]
            let tags = try stage.redact(tagged).tags
            #expect(tags["team"] == "checkout")
            #expect(tags["note"] == "pin: [redacted]")
        }
    }

    /// An equal authority, target and field are not confused.
    @Test func partsOfARequestAreDistinguishedFromFields() throws {
        let stage = try OneStage("{}")
        let text = "user:secret@shop.test"
        var request = Request(method: "GET", target: ByteString(text), authority: "shop.test")
        for _ in 0..<3 {
            let id = ExchangeID(high: 1, low: 2)
            let asTarget = try stage.redact(Exchange(id: id, request: request))
            #expect(asTarget.request.target == ByteString(text))
            var other = request
            other.authority = ByteString(text)
            other.target = "/"
            let asAuthority = try stage.redact(Exchange(id: id, request: other))
            #expect(asAuthority.request.authority.text == "%5Bredacted%5D@shop.test")
            request.method = "CONNECT"
            let asConnect = try stage.redact(Exchange(id: id, request: request))
            #expect(asConnect.request.target.text == "%5Bredacted%5D@shop.test")
            request.method = "GET"
        }
    }

    /// A detector also finds a secret in a name, a value and a target that occurred before, and
    /// among others without findings.
    @Test func detectorsFindRepeatedSecrets() throws {
        let stage = try OneStage("detectors: standard")
        for _ in 0..<3 {
            #expect(try stage.value("X-Note", "a plain note") == "a plain note")
            #expect(try stage.value("X-Note", "a note of SK-ABC123") == "a note of [redacted]")
            var both = exchange(target: "/a/plain/path", fields: ["X-Note": "a plain note"])
            both.request.fields.append(name: "X-SK-ABC123", value: "a plain note")
            let result = try stage.redact(both).request
            #expect(result.target == "/a/plain/path")
            #expect(result.fields == ["X-Note": "a plain note", "X-[redacted]": "a plain note"])
            let target = try stage.redact(exchange(target: "/path/of/SK-ABC123")).request.target
            #expect(target.text == "/path/of/%5Bredacted%5D")
        }
    }

    /// Removing fields does not prevent later fields from being searched.
    @Test func removingFieldsKeepsTheOthersInPlace() throws {
        let stage = try OneStage("action: remove")
        let fields: FieldSection = [
            "Accept": "text/html", "Authorization": "Basic abc", "X-Note": "plain text",
            "Cookie": "a=b", "X-Token": "abc", "Server": "bench",
        ]
        for _ in 0..<3 {
            let result = try stage.redact(exchange(fields: fields)).request.fields
            #expect(result == ["Accept": "text/html", "X-Note": "plain text", "Server": "bench"])
        }
    }
}
