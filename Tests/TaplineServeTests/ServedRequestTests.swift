// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

@testable import TaplineServe

/// Makes a request from its target and further lines.
func request(
    _ target: String,
    method: String = "GET",
    _ lines: String...
) throws -> ServedRequest {
    let text = (["\(method) \(target) HTTP/1.1"] + lines + ["", ""]).joined(separator: "\r\n")
    var parser = RequestParser()
    return ServedRequest(try #require(try parser.parse(Array(text.utf8).span)))
}

@Suite struct ServedRequestTests {
    @Test(
        "a path is split and decoded",
        arguments: [
            ("/", [""]), ("/a/b?c/d", ["a", "b"]), ("/a%20b/%C3%A9", ["a b", "é"]),
            ("/a//b", ["a", "", "b"]), ("/a%2Fb", nil), ("/../a", nil), ("/%2e%2E", nil),
            ("/%FF", nil), ("/%00", nil), ("/a%0Ab", nil),
        ] as [(String, [String]?)]
    )
    func segments(_ target: String, _ expected: [String]?) throws {
        #expect(try request(target, "Host: h").segments == expected)
    }

    @Test("values of the query are decoded")
    func query() throws {
        let request = try request("/?a=1&b=x%20y+z&a=2&c&%64=%FF", "Host: h")
        #expect(request.query("a") == "1")
        #expect(request.query("b") == "x y z")
        #expect(request.query("c") == "")
        #expect(request.query("d") == "\u{FFFD}")
        #expect(request.query("e") == nil)
    }

    @Test(
        "a request for a proxy, or from one, is recognised",
        arguments: [
            ("/", "Via: 1.1 tapline", true), ("/", "Forwarded: for=1.2.3.4", true),
            ("/", "X-Forwarded-For: 1.2.3.4", true), ("http://h/", "X: y", true),
            ("/", "X: y", false),
        ]
    )
    func forwarded(_ target: String, _ line: String, _ expected: Bool) throws {
        #expect(try request(target, "Host: h", line).isForwarded == expected)
    }
}
