// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import RedactStage

/// Stand-ins in their places: a value has the same one in all places, and JSON stays JSON.
@Suite struct PseudonymPlaceTests {
    private static let options = """
        action: pseudonym
        key_env: TAPLINE_REDACT_KEY
        headers: [x-user]
        json: [user, users, n]
        query: [user, username]
        form: [user]
        """

    private func body(_ text: String, _ type: String = "application/json") throws -> String {
        try redactBody(text, type, Self.options)
    }

    @Test(arguments: [
        ("alice@shop.test", #"alice\u0040shop.test"#, "alice%40shop.test"),
        ("4111111111111111", "4111111111111111", "4111111111111111"),
        ("Straße & Söhne", #"Stra\u00dfe & S\u00f6hne"#, "Stra%c3%9fe%20%26%20S%C3%B6hne"),
        ("a \"b\\c\" d-4711", #"a \"b\\c\" d-4711"#, "a%20%22b%5cc%22%20d-4711"),
        (
            "eyJhIjoxfQ.eyJzdWIiOiI0NzExIn0.c2lnbmF0dXJl",
            "eyJhIjoxfQ.eyJzdWIiOiI0NzExIn0.c2lnbmF0dXJl",
            "eyJhIjoxfQ.eyJzdWIiOiI0NzExIn0%2Ec2lnbmF0dXJl"
        ),
    ])
    func aValueHasTheSameStandInInAllPlaces(
        value: String,
        escaped: String,
        encoded: String
    ) throws {
        var one = exchange(
            target: "/a?user=\(encoded)",
            fields: [
                "X-User": value, "Cookie": "sid=\(encoded)",
                "Authorization": "Bearer \(value)", "Location": "https://h/#user=\(encoded)",
            ],
            type: "application/json",
            body: "{\"user\":\"\(escaped)\",\"a\":\"/x?user=\(encoded)\"}"
        )
        one.tags["user"] = value
        let made = try redact(one, Self.options)
        let standIn = try #require(made.request.fields.first("x-user")?.text)
        #expect(standIn != value)
        let url = String(decoding: PercentEncoding.encode(standIn.utf8.span), as: UTF8.self)
        #expect(made.request.target.text == "/a?user=\(url)")
        #expect(made.request.fields.first("location")?.text == "https://h/#user=\(url)")
        #expect(made.request.fields.first("authorization")?.text == "Bearer \(standIn)")
        let cookie = try #require(made.request.fields.first("cookie")?.text)
        #expect(cookie == "sid=" + (encoded.contains("%") ? url : standIn))
        #expect(made.tags["user"] == standIn)
        let json = standIn.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        let text = String(decoding: made.request.body.bytes, as: UTF8.self)
        #expect(text.hasPrefix("{\"user\":\"\(json)\","))
        let form = try body("user=\(encoded)&a=1", "application/x-www-form-urlencoded")
        #expect(form == "user=\(url)&a=1")
    }

    @Test func credentialsShareTheirPartsWithOtherPlaces() throws {
        // echo -n 'mallory:hunter2-hunter2' | base64
        let basic = "Basic bWFsbG9yeTpodW50ZXIyLWh1bnRlcjI="
        let made = try redact(
            exchange(
                target: "https://mallory:hunter2-hunter2@h/?user=mallory",
                fields: ["Authorization": basic],
                type: "application/json",
                body: #"{"user":"mallory","password":"hunter2-hunter2"}"#
            ),
            Self.options
        )
        let text = String(decoding: made.request.body.bytes, as: UTF8.self)
        let parts = text.split(separator: "\"").map(String.init)
        let (user, password) = (parts[3], parts[7])
        #expect(
            made.request.target.text == "https://\(user):\(password)@h/?user=\(user)"
        )
        let field = try #require(made.request.fields.first("authorization")?.text)
        let encoded = Array(field.dropFirst(6).utf8)
        let decoded = Base64Digits.decode(encoded.span)
        let pair = try #require(decoded)
        #expect(String(decoding: pair, as: UTF8.self) == "\(user):\(password)")
    }

    @Test(arguments: ["4711", "-12.50", "1", "0", "1.5e+300", "123456789012345678", "0.25"])
    func numbersStayNumbers(number: String) throws {
        let made = try body("{\"user\":\(number),\"a\":1}")
        let rest = made.dropFirst("{\"user\":".count)
        let standIn = String(rest.prefix { $0 != "," })
        #expect(rest.dropFirst(standIn.count) == ",\"a\":1}")
        #expect(standIn.count == number.count)
        #expect(standIn != number)
        #expect(Double(standIn) != nil)
        #expect(!standIn.hasPrefix("00") && !standIn.hasPrefix("-0"))
        guard !number.contains("e") else { return }
        // Written as text, it is the same value.
        #expect(try body("{\"user\":\"\(number)\"}") == "{\"user\":\"\(standIn)\"}")
    }

    @Test func arraysKeepTheirShapeAndObjectsAreMasked() throws {
        let one = try body(#"{"user":"bob@shop.test"}"#).split(separator: "\"")[3]
        let made = try body(
            #"{"users": ["bob@shop.test", ["bob@shop.test", {"x":1}], {"id":"q"}, true, null ], "a":[1]}"#
        )
        #expect(
            made
                == "{\"users\": [\"\(one)\", [\"\(one)\", \"[redacted]\"], \"[redacted]\", \"[redacted]\", \"[redacted]\" ], \"a\":[1]}"
        )
        #expect(try body(#"{"users":[]}"#) == #"{"users":[]}"#)
        #expect(
            try body(#"{"users":[1,"#)
                == "{\"users\":[\(try body(#"{"user":1}"#).dropFirst(8).prefix(1)),"
        )
    }

    @Test func pathsWithinAnArrayHaveTheirOwnRules() throws {
        let yaml = """
            {preset: none, key_env: TAPLINE_REDACT_KEY, mask: '*', json: [
              {name: $.a, action: pseudonym}, {name: '$.a[1]', action: mask},
              {name: '$.a[2]', action: remove}]}
            """
        let made = try redactBody(#"{"a":["x","y","z"]}"#, "application/json", yaml)
        #expect(made.hasSuffix(#"","*"]}"#))
        #expect(!made.contains("\"x\""))
    }

    @Test func contentInDoubtIsMasked() throws {
        #expect(try body(#"{"user":"alice@sho"#) == #"{"user":[redacted]"#)
        #expect(try body("{<a>") == "{[redacted]")
    }

    /// Stand-ins that later versions must reproduce; otherwise recordings could no longer be
    /// joined.
    @Test(arguments: [
        ("4711", "8652"), ("alice@shop.test", "usfttexydnev@rjinldcosf.example.com"),
        ("4111 1111 1111 1111", "9000 3898 9002 7897"),
        ("DE89 3704 0044 0532 0130 00", "DE20 6248 9671 9241 5472 28"),
        ("123e4567-e89b-12d3-a456-426614174000", "ed226d1d-4ae6-180e-baeb-ada71d7c1e3d"),
        ("d41d8cd98f00b204e9800998ecf8427e", "2c404a1857a3d187b85dc3591546915b"),
        ("192.168.0.1", "247.164.192.149"), ("::1", "2001:db8:4d29:2b1a:41a0:e7d6:2ec7:7eff"),
        ("2024-02-29", "2041-12-07"), ("2024-02-29T12:00:00.000Z", "1915-12-31T05:09:03.116Z"),
        ("Bob", "Cyywnmau"),
        ("Correct-Horse 42", "Kypqxeq-Fwhjk 05"),
        ("dGhpcyBpcyBhIHNlY3JldCE=", "rUf2BirVg9nhCRda9msgrGE="),
        ("Jürgen Müller", "Xpwrfi Cpmyfz"),
        ("+49 170 1234567", "+82 966 3739685"), ("9223372036854775807", "8409702273254412975"),
    ])
    func standInsAreStable(value: String, expected: String) throws {
        let made = try redactField("X-User", value, Self.options)
        #expect(made == expected, "\(made ?? "")")
    }
}
