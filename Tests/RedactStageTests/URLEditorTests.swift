// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

@Suite struct URLEditorTests {
    @Test(arguments: [
        ("/a?token=s", "/a?token=*"), ("/a?x=1&token=s&y=2", "/a?x=1&token=*&y=2"),
        ("/a?tok%65n=s", "/a?tok%65n=*"), ("/a?TOKEN=s", "/a?TOKEN=*"),
        ("/a?access-token=s", "/a?access-token=*"), ("/a?token", "/a?token*"),
        ("/a?user[password]=s", "/a?user[password]=*"),
        ("/a?user%5Bpassword%5D=s", "/a?user%5Bpassword%5D=*"),
        ("/a?user.password=s&a[]=1", "/a?user.password=*&a[]=1"),
        ("/a?x=1;token=s;y", "/a?x=1;token=*"), ("/a?token=s;t&b=1", "/a?token=*&b=1"),
        ("/a?x=token", "/a?x=token"), ("/token=s", "/token=*"), ("/a?&&token=s&", "/a?&&token=*&"),
        ("/a#access_token=s&x=1", "/a#access_token=*&x=1"), ("/a#/r?token=s", "/a#/r?token=*"),
        ("/a?x=1#token=s", "/a?x=1#token=*"),
        ("http://u:p@h/?token=s", "http://*@h/?token=*"), ("http://h/@?a=@", "http://h/@?a=@"),
        ("/reset-password/8f3a5c0e9b7d2146", "/reset-password/*"),
        ("/v1/token/8f3a5c0e9b7d2146/x?a=1", "/v1/token/*/x?a=1"),
        ("http://u:p@h/tok%65n/8f3a5c0e9b7d2146#a", "http://*@h/tok%65n/*#a"),
        ("/token/8f3a5c0e9b7d2146;sid=s", "/token/*;sid=*"),
        ("/a;sid=s/token/8f3a5c0e9b7d2146", "/a;sid=*/token/*"),
        ("/password/reset", "/password/reset"),
        ("/oauth/token/introspection-of-it", "/oauth/token/introspection-of-it"),
        ("http://token/8f3a5c0e9b7d2146", "http://token/8f3a5c0e9b7d2146"),
        ("/page-token/8f3a5c0e9b7d2146", "/page-token/8f3a5c0e9b7d2146"),
        ("//u:p@h/x", "//*@h/x"), ("http://u@v@h", "http://*@h"), ("", ""), ("?", "?"),
    ])
    func targetsAreRedacted(target: String, expected: String) throws {
        let result = try redact(exchange(target: target))
        #expect(result.request.target.text == expected.masked)
        var original = exchange()
        original.original.url = ByteString(target)
        #expect(try redact(original).original.url?.text == expected.masked)
        #expect(try redactField("Location", target) == expected.masked)
    }

    @Test(arguments: [
        ("Referer", "https://a/?token=s&b=1", "https://a/?token=*&b=1"),
        ("Content-Location", "/x?token=a,b", "/x?token=*"),
        (":path", "/x?token=a", "/x?token=*"),
    ])
    func fieldsWithURLsAreRedacted(name: String, value: String, expected: String) throws {
        #expect(try redactField(name, value) == expected.masked)
    }

    @Test(arguments: [
        (
            "Link", "<https://a/?token=s>; rel=next, <https://u:p@b/>; rel=prev", ["s>", "u:p"],
            "rel=prev"
        ),
        ("Refresh", "5; url=https://a/?token=s&x=1", ["=s"], "5; url=https://a/?token="),
        ("X-Unknown", "go to https://a/?api_key=s", ["=s"], "go to https://a/?api_key="),
        ("Forwarded-For", #"{"password":"hunter"}"#, ["hunter"], #"{"password":"#),
    ])
    func urlsWithinOtherFieldsAreRedacted(
        name: String,
        value: String,
        secrets: [String],
        kept: String
    ) throws {
        let result = try #require(try redactField(name, value))
        for secret in secrets { #expect(!result.contains(secret), "\(result)") }
        #expect(result.contains(kept), "\(result)")
    }

    @Test(arguments: [
        ("[\"password\",\"s3cret\"]", "[\"password\",*]"),
        (
            "{\"a\":[[\"x\",\"y\"],[\"token\", \"s3cret\"]]}",
            "{\"a\":[[\"x\",\"y\"],[\"token\", *]]}"
        ),
        ("{\"name\":\"password\",\"value\":\"s3cret\"}", "{\"name\":\"password\",\"value\":*}"),
        ("{\"value\":\"s3cret\",\"name\":\"otp\"}", "{\"value\":*,\"name\":\"otp\"}"),
        ("[{\"key\":\"pin\",\"value\":1234}, 5]", "[{\"key\":\"pin\",\"value\":*}, 5]"),
        ("{\"a\":\"b c\",\"n\":1}", "{\"a\":\"b c\",\"n\":1}"),
    ])
    func jsonValuesAreReadAsJSON(json: String, expected: String) throws {
        func form(_ text: String) -> String {
            String(decoding: PercentEncoding.encode(text.utf8.span), as: UTF8.self)
        }
        func around(_ value: String) -> String { "a=1&data=\(value)&b={" }
        let mask = form("\"[redacted]\"")
        let encoded = form(expected).replacing("%2A", with: mask)
        let plain = expected.replacing("*", with: mask)
        let plus = encoded.replacing("%20", with: "+")
        let pairs = [
            (form(json), encoded),
            (json.replacing(" ", with: "+"), plain.replacing(" ", with: "+")),
            (form(json).replacing("%20", with: "+").lowercased(), plus.lowercased()),
        ]
        for (value, result) in pairs {
            let type = "application/x-www-form-urlencoded"
            let body = try redactBody(around(value), type)
            #expect(body.lowercased() == around(result).lowercased())
            let url = try redact(exchange(target: "/p?" + around(value))).request.target.text
            let target = try #require(url)
            #expect(target.lowercased() == "/p?" + around(result).lowercased())
        }
    }

    @Test func jsonMembersInFormsAreRemoved() throws {
        let type = "application/x-www-form-urlencoded"
        let body = "data=%7B%22password%22%3A%22s%22%2C%22a%22%3A1%7D&x=%5B%22otp%22%2C%22s%22%5D"
        #expect(
            try redactBody(body, type, "action: remove")
                == "data=%7B%22a%22%3A1%7D&x=%5B%22otp%22%5D"
        )
    }

    @Test func userInfoInTheAuthorityIsRedacted() throws {
        var exchange = exchange()
        exchange.request.authority = "user:pw@shop.test:80"
        #expect(try redact(exchange).request.authority.text == "*@shop.test:80".masked)
        #expect(
            try redact(exchange, "action: remove").request.authority.text == "shop.test:80"
        )
    }

    @Test(arguments: [
        ("/a?token=s", "/a?"), ("/a?token=s&x=1", "/a?x=1"), ("/a?x=1&token=s", "/a?x=1"),
        ("/a?x=1&token=s&password=t&y=2", "/a?x=1&y=2"), ("/a?x=1&token=s&password=t", "/a?x=1"),
        ("http://u:p@h/", "http://h/"), ("/a?x=1;token=s", "/a?x=1;"),
        ("/token/8f3a5c0e9b7d2146/b;sid=s?x=1", "/token//b?x=1"),
    ])
    func removalIncludesTheSeparator(target: String, expected: String) throws {
        let result = try redact(exchange(target: target), "action: remove")
        #expect(result.request.target.text == expected)
    }

    @Test func equalValuesHaveEqualHashesInEveryNotation() throws {
        let target = "/?token=a%20b&password=a+b&secret=a%2Fb"
        let result = try redact(exchange(target: target), "action: hash").request.target
        let values = (result.text ?? "").split(separator: "&").map { $0.split(separator: "=")[1] }
        #expect(values.count == 3)
        #expect(values[0] == values[1])
        #expect(values[0] != values[2])
    }
}

extension String {
    /// With `*` replaced by the mask in URL notation.
    var masked: String {
        split(separator: "*", omittingEmptySubsequences: false).joined(separator: "%5Bredacted%5D")
    }
}
