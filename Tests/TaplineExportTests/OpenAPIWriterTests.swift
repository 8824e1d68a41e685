// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineExport

@Suite("OpenAPI documents")
struct OpenAPIWriterTests {
    private func tree(_ exchanges: [Exchange]) throws -> Tree {
        try Tree(Exported(.openapi, exchanges).bytes)
    }

    private func strings(_ texts: String...) -> Tree { .array(texts.map { .string($0) }) }

    @Test("merge all observations of a route")
    func merged() throws {
        let json: FieldSection = ["Content-Type": "application/json"]
        let tree = try tree([
            .shop("POST", "/users/17?page=1", json, body: "{\"a\":1,\"b\":\"x\",\"c\":null}"),
            .shop(
                "POST",
                "/users/18?page=2&q=x",
                json,
                body: "{\"a\":2.5,\"c\":\"y\",\"d\":[true]}"
            ),
            .shop("GET", "/users/0a1b2c3d"),
        ])
        let path = try #require(tree["paths", "/users/{id}"])
        #expect(path["parameters", "0", "schema", "type"] == strings("integer", "string"))
        let query = try #require(path["post", "parameters"])
        #expect(query["0", "name"] == .string("page"))
        #expect(query["0", "required"] == .bool(true))
        #expect(query["0", "schema", "type"] == .string("integer"))
        #expect(query["1", "required"] == nil)
        let body = try #require(
            path["post", "requestBody", "content", "application/json", "schema"]
        )
        #expect(body["required"] == strings("a", "c"))
        #expect(body["properties", "a", "type"] == .string("number"))
        #expect(body["properties", "c", "type"] == strings("null", "string"))
        #expect(body["properties", "d", "items", "type"] == .string("boolean"))
        #expect(path["get", "operationId"] == .string("getUsersId"))
        let answer = try #require(path["get", "responses", "200", "content", "application/json"])
        #expect(answer["schema", "properties", "ok", "type"] == .string("boolean"))
    }

    @Test("name the variables of a path apart")
    func variables() throws {
        let tree = try tree([.shop("GET", "/a/1/b/2")])
        let path = try #require(tree["paths", "/a/{id}/b/{id2}"])
        #expect(path["parameters", "1", "name"] == .string("id2"))
    }

    @Test("infer formats and enumerations of words that repeat")
    func strings() throws {
        let exchanges = (0..<20).map { number in
            Exchange.shop(
                answer:
                    "{\"at\":\"2026-11-2\(number % 9)T14:03:00Z\",\"kind\":\"\(["a", "b"][number % 2])\","
                    + "\"name\":\"n\(number)\",\"same\":\"x\",\"mail\":\"a@b.test\"}"
            )
        }
        let tree = try tree(exchanges)
        let operation = try #require(tree["paths", "/cart", "get", "responses", "200"])
        let schema = try #require(operation["content", "application/json", "schema", "properties"])
        #expect(schema["at", "format"] == .string("date-time"))
        #expect(schema["kind", "enum"] == strings("a", "b"))
        #expect(schema["name", "enum"] == nil)
        #expect(schema["same", "enum"] == nil)
        #expect(schema["mail", "format"] == .string("email"))
    }

    @Test("have examples from redacted exchanges only")
    func examples() throws {
        var exchange = Exchange.shop()
        func example(_ exchange: Exchange) throws -> Tree? {
            try tree([exchange])[
                "paths",
                "/cart",
                "get",
                "responses",
                "200",
                "content",
                "application/json",
                "example"
            ]
        }
        #expect(try example(exchange) == nil)
        exchange.tags["tapline.redacted"] = "json:password"
        #expect(try example(exchange) == .object(["ok": .bool(true)]))
    }

    @Test("read objects with many keys as maps")
    func maps() throws {
        let members = (0..<300).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let tree = try tree([.shop(answer: "{\(members)}")])
        let content = try #require(
            tree[
                "paths",
                "/cart",
                "get",
                "responses",
                "200",
                "content",
                "application/json",
                "schema"
            ]
        )
        #expect(content["additionalProperties", "type"] == .string("integer"))
        #expect(content["properties"] == nil)
    }

    @Test("describe several servers")
    func servers() throws {
        var other = Exchange.shop("GET", "/other")
        other.request.authority = "b.test"
        let tree = try tree([.shop(), other])
        #expect(tree["servers", "1", "url"] == .string("https://shop.test"))
        #expect(tree["paths", "/other", "servers", "0", "url"] == .string("https://b.test"))
    }

    @Test(
        "are valid",
        .enabled(
            if: Tool.python("import openapi_spec_validator") != nil,
            "openapi-spec-validator is not installed"
        )
    )
    func valid() throws {
        var exchanges = ExportCases.all(port: 80).map { request in
            var exchange = Exchange.shop()
            exchange.request = request
            return exchange
        }
        for status in [100, 204, 301, 404, 599] {
            exchanges.append(.shop("PATCH", "/x/{a}/**/{id}", ["Authorization": "Basic x"]))
            exchanges[exchanges.count - 1].response?.status = status
        }
        exchanges.append(.shop("GET", ByteString(String(repeating: "/a", count: 40))))
        let folder = try TemporaryFolder()
        let file = try folder.write(Exported(.openapi, exchanges).bytes, to: "api.json")
        let program = TestFiles.fixture("validate_openapi.py")
        #expect(
            try Tool.run(
                [Tool.python("import openapi_spec_validator") ?? "", program, file],
                home: folder.path
            ) == "True\n"
        )
    }
}
