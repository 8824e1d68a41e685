// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

@Suite struct DetectorOptionsTests {
    private let body = #"{"a":"x SK-ABCD1234 y","n":4111111111111111,"b":"WORD-77"}"#

    private func result(_ yaml: String) throws -> String {
        try redactBody(body, "application/json", yaml)
    }

    @Test func detectorsAreOffByDefault() throws {
        #expect(try result("{}") == body)
        #expect(try result("detectors: off") == body)
    }

    @Test(arguments: ["standard", "[standard]", "[key, card]"])
    func standardAndNamedDetectorsAreEnabled(choice: String) throws {
        #expect(
            try result("detectors: \(choice)")
                == #"{"a":"x [redacted] y","n":"[redacted]","b":"WORD-77"}"#
        )
    }

    @Test func aSingleNameIsReadAsAList() throws {
        #expect(
            try result("detectors: key")
                == #"{"a":"x [redacted] y","n":4111111111111111,"b":"WORD-77"}"#
        )
    }

    @Test func patternsAreFoundAndAllowedValuesIgnored() throws {
        #expect(
            try result(
                "{detectors: key, patterns: [{name: w, regex: WORD-77}], allow: SK-ABCD1234}"
            )
                == #"{"a":"x SK-ABCD1234 y","n":4111111111111111,"b":"[redacted]"}"#
        )
    }

    @Test(arguments: [
        ("detectors: nosuch", "unknown detector 'nosuch'; expected key, card"),
        ("patterns: [{name: a}]", "option 'regex' is missing"),
        ("patterns: [{name: '', regex: a}]", "the name is empty"),
    ])
    func mistakesAreReported(yaml: String, message: String) {
        let built = build(yaml)
        #expect(built.factory == nil)
        #expect(built.problems.contains { $0.contains(message) }, "\(built.problems)")
    }

    @Test(arguments: [
        ("detectors: standard", "detectors"), ("patterns: [{name: a, regex: b}]", "patterns"),
    ])
    func detectorsWithoutTheLibraryAreAnError(yaml: String, option: String) {
        let built = build(yaml, detectors: nil)
        #expect(built.factory == nil)
        #expect(
            built.problems == [
                "'\(option)' requires the product 'TaplineDetectors', which is not linked"
            ]
        )
        #expect(build("detectors: off", detectors: nil).factory != nil)
    }

    @Test func findingsAreCountedByKind() throws {
        let factory = try #require(build("{detectors: [key], mark: true}").factory)
        let stage = try #require(
            try factory.makeStage(.init(id: "redact")) as? any RecordStage
        )
        var full = exchange(type: "application/json", body: body)
        var context = ExchangeContext()
        _ = try stage.record(&full, &context)
        #expect(full.tags["tapline.redacted"] == "detector key")
        let metric = factory.metrics.first { $0.subject == "detector key" }
        #expect(metric?.count == 1)
    }

    @Test func addressesAndServerNamesAreSearched() throws {
        var exchange = exchange()
        exchange.connection.client = "SK-ABCD1234"
        exchange.connection.server = "10.0.0.1:443"
        exchange.connection.tls = TLSInfo(version: "TLSv1.3", sni: "SK-ABCD1235.shop.test")
        exchange.connection.serverTLS = TLSInfo(sni: "shop.test")
        let connection = try redact(exchange, "detectors: standard").connection
        #expect(connection.client == "[redacted]")
        #expect(connection.server == "10.0.0.1:443")
        #expect(connection.tls == TLSInfo(version: "TLSv1.3", sni: "[redacted].shop.test"))
        #expect(connection.serverTLS == TLSInfo(sni: "shop.test"))
        #expect(try redact(exchange, "{}").connection == exchange.connection)
    }

    @Test func recordedProtocolNamesAreSearched() throws {
        var exchange = exchange()
        exchange.connection.tls = TLSInfo(cipher: "SK-ABCD1234", alpn: "SK-ABCD1235")
        exchange.request.version = "SK-ABCD1236"
        exchange.response = Response(status: 200, version: "SK-ABCD1237")
        let redacted = try redact(exchange, "detectors: standard")
        #expect(redacted.connection.tls == TLSInfo(cipher: "[redacted]", alpn: "[redacted]"))
        #expect(redacted.request.version == "[redacted]")
        #expect(redacted.response?.version == "[redacted]")
    }

    @Test func namesAreSearched() throws {
        var exchange = exchange()
        exchange.request.method = "SK-ABCD1234"
        exchange.original.method = "SK-ABCD1235"
        exchange.request.fields = ["A": "b", "X-SK-ABCD1236": "c", "D": "SK-ABCD1237"]
        exchange.tags["x SK-ABCD1238"] = "y"
        exchange.tags["team"] = "shop"
        let result = try redact(exchange, "detectors: standard")
        #expect(result.request.method == "[redacted]")
        #expect(result.original.method == "[redacted]")
        #expect(
            result.request.fields == ["A": "b", "X-[redacted]": "c", "D": "[redacted]"]
        )
        #expect(result.tags.map(\.name).sorted() == ["team", "x [redacted]"])
        #expect(result.tags["x [redacted]"] == "y")
        let untouched = try redact(exchange, "{}")
        #expect(untouched.request.fields == exchange.request.fields)
        #expect(untouched.tags == exchange.tags)
    }
}
