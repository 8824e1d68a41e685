// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite("Credentials after a scheme")
struct CredentialsTests {
    private static func base64(_ text: String) -> String {
        var output: [UInt8] = []
        Base64.encode(text.utf8.span, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("are found after 'Basic' if the value is the base64 of a text with a colon")
    func basic() throws {
        let scan = try Scan(["basic_credentials"])
        for text in [
            "jane:s3cret", "a:", "ä:ö€", ":x", String(repeating: "long", count: 2_000) + ":",
        ] {
            // Long values are judged by their beginning.
            let value = Self.base64(text.count > 5_000 ? "jane:" + text : text)
            let plain = value.prefix { $0 != "=" }
            #expect(scan.texts("Authorization: Basic \(value)") == [value])
            #expect(scan.texts("{\"a\":\"basic  \(value)\"}") == [value])
            #expect(scan.texts("a=Basic%20\(plain)&b") == [String(plain)])
            #expect(scan.texts("a=BASIC+\(plain)&b") == [String(plain)])
        }
    }

    @Test(
        "are not reported for other text after 'Basic'",
        arguments: [
            "Basic information", "basic auth is on", "Basic realm=\"x\"", "BASIC data", "basic",
            "Basic ", "xBasic amFuZTpzZWNyZXQ=", "Basic " + "amFuZXNlY3JldA==", "Basicamanda",
            "Basic AAAA", "basic:amFuZTpz",
        ]
    )
    func notBasic(text: String) throws {
        #expect(try Scan(["basic_credentials"]).texts(text).isEmpty)
    }

    @Test("are found after 'Bearer'")
    func bearer() throws {
        let scan = try Scan(["bearer_token"])
        let token = "0a.b_C~d+e/f-" + "ghi99=="
        #expect(scan.texts("Authorization: Bearer \(token)") == [token])
        #expect(scan.texts("curl -H 'authorization: bearer  \(token)' x") == [token])
        #expect(scan.texts("Bearer\t\(token)\r\nX: y") == [token])
        #expect(scan.texts("\"\\nBearer%20\(token)\\n\"") == [token])
        let words = String(repeating: "abcdefgh", count: 5)
        #expect(scan.texts("Bearer \(words)") == [words])
    }

    @Test(
        "are not reported for words after 'Bearer'",
        arguments: [
            "Bearer token", "Bearer authentication-required", "The bearer of this letter",
            "Bearer realm=\"shop\"", "forbearer 0123456789abcdef", "Bearer 0123456789abcde",
            "Bearer:0123456789abcdefghi", "bearer",
        ]
    )
    func notBearer(text: String) throws {
        #expect(try Scan(["bearer_token"]).texts(text).isEmpty)
    }
}

/// Returns a part of a token: base64url without padding.
private func part(_ text: String) -> String {
    var output: [UInt8] = []
    Base64.encode(text.utf8.span, into: &output)
    return String(decoding: output, as: UTF8.self)
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

@Suite("JSON Web Tokens")
struct JSONWebTokenTests {
    @Test("are found with all of their parts")
    func found() throws {
        let scan = try Scan(["jwt"])
        let payload = part("{\"sub\":\"1234567890\"}")
        for header in [
            "{\"alg\":\"HS256\",\"typ\":\"JWT\"}", "{\"typ\":\"JWT\", \"alg\":\"none\"}",
            "{ \"alg\": \"RS256\" }", "{\n \"alg\": \"RS256\"\n}", "{\n\t\"alg\": \"RS256\"\n}",
        ] {
            let head = part(header)
            for token in [
                "\(head).\(payload).c2lnbmF0dXJl-_", "\(head).\(payload).", "\(head).\(payload)",
                "\(head).a.b.c.d", "\(head)..iv.text.tag",
            ] {
                #expect(scan.texts("x \(token) y") == [token], "\(header)")
                #expect(scan.texts("{\"t\":\"\(token)\"}") == [token])
                #expect(scan.texts("a=\(token)&b=\(token)") == [token, token])
            }
        }
    }

    @Test(
        "are not found if the first part is not a header",
        arguments: [
            part("{\"sub\":\"1\"}") + ".a.b", part("{\"alg\":\"HS256\"}"),
            part("{\"alg\":\"HS256\"}") + ".", part("{\"alg\":") + ".a.b", "eyJ.a.b", "eyJ",
            "x" + part("{\"alg\":\"HS256\"}") + ".a.b", part("[\"alg\"]") + ".a.b",
            part("{\"a\":{\"alg\":1}}") + ".a.b", part("{\"alg\":\"HS256\"}") + "!.a.b",
        ]
    )
    func notFound(text: String) throws {
        #expect(try Scan(["jwt"]).texts(text).isEmpty)
    }
}
