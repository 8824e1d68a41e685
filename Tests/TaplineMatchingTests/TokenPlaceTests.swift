// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import Testing

/// The text of places and bindings, and the errors in it.
@Suite struct TokenPlaceTests {
    @Test(arguments: [
        "response json $.access_token of POST shop.test/login",
        "response json $.items[*].id of GET shop.test:8443/users/{id}/orders",
        "response json $.next query cursor of GET /pages",
        "response json $['user%20name'] of GET /",
        "response cookie XSRF-TOKEN decoded of GET /",
        "response header location path 2 of POST /orders",
        "response form csrf of GET /cart/**",
        "response meta csrf-token of GET /cart",
        "response link query token of GET /mail/{id}",
        "request path 2 of GET /orders/{id}",
        "request query a%20b of GET /x%2520y",
        "request header authorization",
        "request cookie sid",
        "request form csrf of POST /cart",
        "message json $.session of GET shop.test/live",
        "message json $.next query cursor of GET shop.test/live",
        "message text of GET shop.test/live/{id}",
    ])
    func aPlaceIsTheSameAfterParsing(text: String) throws {
        #expect(try TokenPlace(parsing: text).text == text)
    }

    @Test(arguments: [
        ("", 0, 0, "unexpected end; expected 'request', 'response' or 'message'"),
        ("reply json $.a", 0, 5, "unexpected 'reply'; expected 'request', 'response' or 'message'"),
        (
            "request link of GET /", 8, 4,
            "unexpected 'link'; expected 'path', 'query', 'header', 'cookie', 'json' or 'form'"
        ),
        ("message header a of GET /", 8, 6, "unexpected 'header'; expected 'json' or 'text'"),
        ("message path 1 of GET /", 8, 4, "unexpected 'path'; expected 'json' or 'text'"),
        (
            "response text of GET /", 9, 4,
            "unexpected 'text'; expected 'header', 'cookie', 'json', 'form', 'meta' or 'link'"
        ),
        ("response json a.b", 14, 3, "unexpected 'a.b'; expected a path, such as '$.id'"),
        (
            "request path 0 of GET /", 13, 1,
            "unexpected '0'; expected the number of a segment, from 1"
        ),
        (
            "request path 99999999999999999999", 13, 20,
            "unexpected '99999999999999999999'; expected the number of a segment, from 1"
        ),
        ("request header a on GET /", 17, 2, "unexpected 'on'; expected 'of' and a route"),
        (
            "request header a of GET shop", 24, 4,
            "unexpected 'shop'; expected a path, such as '/login' or 'shop.test/login'"
        ),
        (
            "request header a of GET", 23, 0,
            "unexpected end; expected a path, such as '/login' or 'shop.test/login'"
        ),
        ("request header a of GET / /", 26, 1, "unexpected '/'; expected the end"),
    ])
    func anErrorNamesThePosition(text: String, offset: Int, length: Int, message: String) {
        let error = #expect(throws: TokenPlaceError.self) { try TokenPlace(parsing: text) }
        #expect(error?.offset == offset)
        #expect(error?.length == length)
        #expect(error?.message == message)
    }

    @Test func aMapIsYAMLWithQuotedTexts() throws {
        let binding = TokenBinding(
            name: "token",
            source: try TokenPlace(parsing: "response json $['a%20b'] of POST /login"),
            targets: [try TokenPlace(parsing: "request header authorization")]
        )
        let text = TokenBinding.yaml([binding])
        #expect(
            text.hasSuffix(
                """
                - bind: 'token'
                  from: 'response json $[''a%20b''] of POST /login'
                  to:
                    - 'request header authorization'

                """
            )
        )
        #expect(TokenBinding.yaml([]).hasSuffix("[]\n"))
    }
}
