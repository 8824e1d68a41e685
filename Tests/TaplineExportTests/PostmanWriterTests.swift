// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Collections of Postman")
struct PostmanWriterTests {
    @Test("have the parts of a URL, and variables for segments with a colon")
    func url() throws {
        var exchange = Exchange.shop("GET", "/a/:name/?q=1&r&s=a=b")
        exchange.request.authority = "shop.test:8443"
        let tree = try Tree(Exported(.postman, [exchange]).bytes)
        let url = try #require(tree["item", "0", "request", "url"])
        #expect(url["raw"] == .string("https://shop.test:8443/a/:name/?q=1&r&s=a=b"))
        #expect(url["host"] == .array([.string("shop"), .string("test")]))
        #expect(url["port"] == .string("8443"))
        #expect(url["path"] == .array([.string("a"), .string(":name"), .string("")]))
        let expected = Tree.object(["key": .string("name"), "value": .string(":name")])
        #expect(url["variable"] == .array([expected]))
        #expect(url["query", "1"] == .object(["key": .string("r"), "value": .null]))
        #expect(url["query", "2", "value"] == .string("a=b"))
    }

    @Test("have no braces that Postman would replace, where they can be encoded")
    func braces() throws {
        func raw(_ type: String, _ body: String) throws -> (Tree?, [String]) {
            let exported = Exported(
                .postman,
                [.shop("POST", "/a", ["Content-Type": type], body: body)]
            )
            let tree = try Tree(exported.bytes)
            return (tree["item", "0", "request", "body", "raw"], exported.losses)
        }
        let json = try raw("application/json", "{\"a\":\"{{{x}}\",\"b\":{\"c\":{}}}")
        #expect(json.0 == .string("{\"a\":\"{\\u007b{x}}\",\"b\":{\"c\":{}}}"))
        #expect(json.1 == ["request.body ({{ }} encoded)"])
        let form = try raw("application/x-www-form-urlencoded", "a={{x}}")
        #expect(form.0 == .string("a=%7B%7Bx}}"))
        let plain = try raw("text/plain", "{{x}}")
        #expect(plain.0 == .string("{{x}}"))
        #expect(plain.1 == ["request.body ({{ }})"])
        #expect(try raw("application/json", "{{x}}").1 == ["request.body ({{ }})"])
        let header = Exported(.postman, [.shop("GET", "/{{x}}", ["X": "{{x}}"])])
        #expect(header.losses == ["request.headers ({{ }})", "request.target"])
        #expect(!header.text.contains("/{{"))
    }

    @Test("have responses, notes and several items")
    func items() throws {
        var exchange = Exchange.shop()
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(text: "look here")]
        exchange.extra = extra
        let tree = try Tree(Exported(.postman, [exchange, .shop()]).bytes)
        #expect(tree["item", "0", "response", "0", "code"] == .number("200"))
        #expect(tree["item", "0", "response", "0", "body"] == .string("{\"ok\":true}"))
        let text = try #require(tree["item", "0", "request", "description"])
        #expect(text == .string("started 2027-01-15T08:00:00.123456Z\nlook here"))
        #expect(tree["item", "1", "request", "auth", "type"] == .string("noauth"))
        #expect(tree["item", "2"] == nil)
        let head = try Tree(Exported(.postman, []).bytes)
        #expect(head["item"] == .array([]))
        #expect(
            head["info", "schema"]
                == .string(
                    "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
                )
        )
    }
}
