// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import RedactStage

@Suite struct GraphQLEditorTests {
    /// Returns a text as a JSON string.
    private static func json(_ text: String) -> String {
        var output: [UInt8] = []
        JSONText.encode(text.utf8.span, to: &output)
        return "\"" + String(decoding: output, as: UTF8.self) + "\""
    }

    private static func percent(_ text: String) -> String {
        String(decoding: PercentEncoding.encode(text.utf8.span), as: UTF8.self)
    }

    private static let document =
        "mutation M($p: String!, $u: String = \"anna\") {\n  login(user: $u, password: $p) { id }\n}"

    @Test(arguments: [
        (#"{"p":"pl4nted","u":"anna"}"#, #"{"p":"*","u":"anna"}"#),
        (#"{"u":"anna", "p" : "pl4\"nted"}"#, #"{"u":"anna", "p" : "*"}"#),
        (#"{"\u0070":["pl4nted",{"a":"pl4nted"}],"u":1}"#, #"{"\u0070":"*","u":1}"#),
        (#"{"p":4711,"u":{"p":"x"}}"#, #"{"p":"*","u":{"p":"x"}}"#),
        (#"{"p":null}"#, #"{"p":null}"#),
    ])
    func variablesAreRedactedByTheirArguments(variables: String, expected: String) throws {
        let query = Self.json(Self.document)
        let body = "{\"operationName\":\"M\",\"query\":\(query),\"variables\":\(variables)}"
        let result = body.replacing(variables, with: expected)
        #expect(try redactBody(body, "application/json", "mask: '*'") == result)
        let reversed = "[{\"variables\":\(variables),\"query\":\(query)}]"
        #expect(
            try redactBody(reversed, "application/json", "mask: '*'")
                == reversed.replacing(variables, with: expected)
        )
        let text = "{\"query\":\(query),\"variables\":\(Self.json(variables))}"
        #expect(
            try redactBody(text, "application/json", "mask: '*'")
                == text.replacing(Self.json(variables), with: Self.json(expected))
        )
    }

    @Test func removingVariablesKeepsTheJSONValid() throws {
        let query = Self.json("mutation($a: T, $b: T) { f(password: $a, token: $b) }")
        let body = "{\"query\":\(query),\"variables\":{\"x\":1,\"a\":\"s\",\"b\":\"t\"}}"
        #expect(
            try redactBody(body, "application/json", "action: remove")
                == "{\"query\":\(query),\"variables\":{\"x\":1}}"
        )
    }

    @Test func urlQueriesAreRead() throws {
        let query = Self.percent(Self.document)
        let variables = Self.percent(#"{"p":"pl4nted","u":"anna"}"#)
        let expected = variables.replacing("pl4nted", with: "%2A")
        let target = "/graphql?query=\(query)&variables=\(variables)&a=1"
        let result = try redact(exchange(target: target), "mask: '*'").request.target
        #expect(result.description == target.replacing(variables, with: expected))
        let form = "variables=\(variables)&query=\(query)"
        #expect(
            try redactBody(form, "application/x-www-form-urlencoded", "mask: '*'")
                == form.replacing(variables, with: expected)
        )
    }

    @Test func webSocketMessagesAreRead() throws {
        let query = Self.json(Self.document)
        let text =
            "{\"type\":\"subscribe\",\"payload\":{\"query\":\(query),\"variables\":{\"p\":\"pl4nted\"}}}"
        var full = exchange()
        full.messages = [StreamMessage(direction: .up, bytes: Array(text.utf8))]
        let result = try redact(full, "mask: '*'").messages[0].bytes
        #expect(String(decoding: result, as: UTF8.self) == text.replacing("pl4nted", with: "*"))
    }

    @Test(arguments: [
        (
            #"{ login(password: "pl4nted", user: "anna") { id } }"#,
            #"{ login(password: "*", user: "anna") { id } }"#
        ),
        (#"mutation { a: f(pin: 4711, n: 3) }"#, #"mutation { a: f(pin: "*", n: 3) }"#),
        (
            #"mutation { f(in: {token: """pl4 "nted""", b: ["x"]}) }"#,
            #"mutation { f(in: {token: """*""", b: ["x"]}) }"#
        ),
        (
            #"mutation { f(tokens: 1, token: ["pl4", "nted"]) }"#,
            #"mutation { f(tokens: 1, token: ["*", "*"]) }"#
        ),
        (
            #"query($p: String = "pl4nted") { f(password: $p) }"#,
            #"query($p: String = "*") { f(password: $p) }"#
        ),
        (#"query { f @auth(token: "pl4nted") { id } }"#, #"query { f @auth(token: "*") { id } }"#),
        (
            #"mutation { setPassword(old: "pl4nted", new: "pl4nted") }"#,
            #"mutation { setPassword(old: "*", new: "*") }"#
        ),
    ])
    func argumentsAreRedactedByName(text: String, expected: String) throws {
        #expect(try redactBody(text, "application/graphql", "mask: '*'") == expected)
        let body = "{\"query\":\(Self.json(text))}"
        #expect(try !redactBody(body, "application/json", "mask: '*'").contains("nted"))
        let target = "/?query=\(Self.percent(text))"
        let result = try redact(exchange(target: target), "mask: '*'").request.target
        #expect(!result.description.contains("nted"))
    }

    @Test(arguments: [
        "{ me { token: accessToken password } }", "query($token: String!) { me { id } }",
        "mutation { f(password: null, token: NONE, pin: true) }",
        "fragment F on User { token(first: 3, kind: \"x\") }",
        "{ a(b: \"# password: two words\") }",
        "query { user(id: 1) { ...F } } # the token: of a user",
    ])
    func otherDocumentsStay(text: String) throws {
        #expect(try redactBody(text, "application/graphql", "mask: '*'") == text)
    }

    @Test(arguments: [
        #"{"query":"shoes (red)","variables":{"p":"x"}}"#,
        #"{"query":{"a":"("},"variables":{"p":1}}"#,
        #"{"query":"{ f(a: $p) }","variables":{"p":"x"}}"#, #"{"a":"(","query":"{ f("}"#,
    ])
    func otherQueriesStay(text: String) throws {
        #expect(try redactBody(text) == text)
    }

    @Test(arguments: 0..<150)
    func secretsAreRedactedInEveryShape(seed: Int) throws {
        var random = Random(seed: UInt64(seed) + 6000)
        let blank = random.pick(["", " ", "\n  ", ", ", " # note: \"x\n"])
        let name = random.pick(["p", "pw", "input1", "x_1"])
        let argument = random.pick(["password", "apiKey", "token", "clientSecret"])
        let value = random.pick([
            "\(argument):\(blank)$\(name)", "input: {\(blank)\(argument): $\(name), b: 1}",
            "a: [{x: 1}],\(blank)\(argument): $\(name)", "list: [{\(argument): [$\(name)]}]",
            "s: \"(\\\"{\", \(argument): $\(name)",
        ])
        let document =
            random.pick(["mutation", "mutation M", "query"]) + "($\(name): String!, $k: Int) {"
            + blank + random.pick(["f", "alias: f"]) + "(k: $k, \(value)) { id }"
            + random.pick(["", " ...F @include(if: $k)"]) + " }"
        let secret = random.pick([
            "\"pl4nted\"", "[\"pl4nted\"]", "{\"a\":{\"b\":\"pl4nted\"}}", "\"\\\"pl4nted\"",
        ])
        let variables = "{\"k\": 3,\(random.pick(["", "\n"]))\"\(name)\":\(secret), \"z\":\"kept\"}"
        let query = Self.json(document)
        let body = random.pick([
            "{\"query\":\(query),\"variables\":\(variables)}",
            "{\"variables\":\(variables),\"query\":\(query),\"operationName\":null}",
            "[{\"query\":\(query),\"variables\":\(variables)},{\"query\":\"{a}\"}]",
            "{\"id\":1,\"payload\":{\"variables\":\(variables),\"query\":\(query)}}",
        ])
        let result = try redactBody(body, "application/json", "mask: '*'")
        #expect(result == body.replacing(secret, with: "\"*\""), "\(body)")
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["(", "{\"query\":", "{\"query\":\"{(\",", "\"q", "[{"]
    )
    func hostileBodiesTakeLinearTime(unit: String) throws {
        _ = try redactBody("{\"a\":\"(\"," + String(repeating: unit, count: 1 << 15))
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["(", "f(a:", "\"", "\"\"\"", "$p:", "{a:[", "#\n", "\\"]
    )
    func hostileDocumentsTakeLinearTime(unit: String) throws {
        let text = "{f(password:" + String(repeating: unit, count: 1 << 15)
        _ = try redactBody(text, "application/graphql")
        _ = try redactBody("{\"query\":\(Self.json(text)),\"variables\":{\"p\":1}}")
    }

    /// Text that only begins like a document is read as ordinary text.
    @Test(arguments: [
        #"{ \"password\": \"pl4nted\", \"a\": \"(\" }"#, #"query password=pl4nted (x)"#,
        #"{ password: \"pl4nted\" (x) }"#, #"mutation; token=pl4nted ()"#,
        #"{ f(url: \"https://h/?token=pl4nted\") }"#, #"{ f(h: \"Bearer pl4nted\") }"#,
    ])
    func otherTextsAreNotDocuments(text: String) throws {
        #expect(try !redactBody("{\"query\":\"\(text)\"}").contains("pl4nted"))
    }
}
