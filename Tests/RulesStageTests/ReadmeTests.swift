// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import RulesStage

/// Runs the files of rules on the reference page.
@Suite("The page about rules") struct ReadmeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(["terms.txt": "the terms"])
    }

    /// Returns the file of rules on the page that contains a text.
    private func rules(with text: String) throws -> RuleSet {
        let page = try TestFiles.text(
            of: "\(TestFiles.repository)/Plugins/Stages/Rules/README.md"
        )
        let blocks = page.split(separator: "```yaml\n").dropFirst()
            .compactMap { $0.split(separator: "```").first }
            .filter { $0.hasPrefix("version: 1\nrules:") }
        #expect(blocks.count == 7)
        let block = try #require(blocks.first { $0.contains(text) })
        var diagnostics = Diagnostics()
        let set = RuleSet.parse(
            ConfigSource(name: folder("rules.yaml"), text: String(block)),
            protected: ProtectedFiles([]),
            into: &diagnostics
        )
        #expect(diagnostics.rendered == "")
        return try #require(set)
    }

    @Test("begins with an answer and a mapping")
    func first() throws {
        let set = try rules(with: "name: staging")
        let down = set.evaluate(.request("https://api.shop.test/cart?item=7"))
        #expect(down.exchange.response?.status == 503)
        #expect(down.exchange.response?.fields.first("retry-after") == "5")
        #expect(down.exchange.responseText == #"{"error":"down","item":"7"}"#)
        let mapped = set.evaluate(.request("http://prod.test/cart?x=1"))
        #expect(mapped.exchange.request.url == "https://staging.test:8443/v2/cart?x=1")
        #expect(mapped.exchange.request.fields.first("x-mapped") == "staging.test")
        #expect(mapped.exchange.tags["mapped"] == "staging")
    }

    @Test("shows rules that except, stop and see the response")
    func order() throws {
        let set = try rules(with: "payments are real")
        let paid = set.evaluate(
            .request("http://a.test/pay/x.png", response: .json("", status: 500))
        )
        #expect(paid.hits.map(\.name) == ["payments are real"])
        #expect(set.evaluate(.request("http://a.test/x.png")).exchange.response?.status == 404)
        var failed = Exchange.request("http://a.test/x", response: .json("{}", status: 500))
        failed.response?.fields.append(name: "Server", value: "s")
        failed.started = Timestamp(microseconds: 0)
        let fields = set.evaluate(failed).exchange.response?.fields
        #expect(fields?.first("x-debug") == "GET /x at 1970-01-01T00:00:00.000000Z")
        #expect(fields?.contains("server") == false)
        #expect(set.names.count == 3)
    }

    @Test("shows answers from templates and files")
    func answers() throws {
        let set = try rules(with: "name: product")
        let product = set.evaluate(.request("http://a.test/product?id=7"))
        #expect(product.exchange.responseText.hasPrefix(#"{"id":"7","trace":""#))
        #expect(product.exchange.response?.fields.all("set-cookie") == ["a=1", "b=2"])
        #expect(set.evaluate(.request("http://a.test/terms")).exchange.responseText == "the terms")
    }

    @Test("shows what can be set and removed")
    func places() throws {
        let result = try rules(with: "utm_source").evaluate(
            .request(
                "http://a.test/?utm_source=x",
                fields: ["Cookie": "session=s"],
                response: .json("{}")
            )
        )
        let request = result.exchange.request
        #expect(request.url == "http://a.test/?debug=1")
        #expect(request.fields.first("authorization") == "Bearer s")
        #expect(!request.fields.contains("cookie"))
        #expect(result.exchange.response?.fields.first("cache-control") == "no-store")
        #expect(result.exchange.tags["session"] == "s")
    }

    @Test("shows replacements of JSON, matches and texts")
    func replacements() throws {
        let set = try rules(with: "name: prices")
        let items = set.evaluate(
            .request(
                "http://a.test/items",
                response: .json(
                    #"{"currency":"EUR","items":[{"id":"7-x","price":1.5}],"at":"https://shop.test/"}"#
                )
            )
        )
        #expect(
            items.exchange.responseText
                == #"{"currency":"test","items":[{"id":"x-7","price":0}],"at":"http://a.test/"}"#
        )
        let upload = Exchange.request("http://a.test/", method: "POST", body: "a secret")
        #expect(set.evaluate(upload).exchange.requestText == "a public")
    }

    @Test("shows pauses of requests and responses")
    func pauses() throws {
        let set = try rules(with: "name: look at payments")
        #expect(set.evaluate(.request("http://a.test/pay", method: "POST")).isPaused)
        #expect(!set.evaluate(.request("http://a.test/pay")).isPaused)
        let failed = Exchange.request("http://a.test/x", response: .json("{}", status: 500))
        #expect(set.evaluate(failed).hits.map(\.name) == ["look at errors"])
        #expect(set.evaluate(failed).isPaused)
    }

    @Test("shows delays and failures")
    func failures() throws {
        let set = try rules(with: "name: flaky")
        let slow = set.evaluate(.request("http://a.slow.test/"))
        #expect(100_000...2_000_000 ~= slow.delay.count)
        let gone = set.evaluate(.request("http://gone.test/"))
        #expect(gone.failure?.code == "timeout")
        #expect(gone.delay.count == 5_000_000)
        let mobile = set.evaluate(.request("http://media.test/"))
        #expect(mobile.throttle.up == 16_384)
        #expect(mobile.throttle.down == 65_536)
        var (reset, refused) = (0, 0)
        for number in 1...1000 {
            let exchange = Exchange.request("http://flaky.test/", number: UInt64(number))
            let result = set.evaluate(exchange)
            if result.failure != nil { reset += 1 }
            if result.exchange.response?.status == 503 { refused += 1 }
        }
        #expect(60...140 ~= reset)
        #expect(380...520 ~= refused)
    }
}
