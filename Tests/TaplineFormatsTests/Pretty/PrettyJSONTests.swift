// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineFormats

@Suite("JSON, laid out")
struct PrettyJSONTests {
    @Test(
        "has one member or element per line",
        arguments: [
            ("{}", "{}\n"), ("[]", "[]\n"), (" 7 ", "7\n"), ("\"a\"", "\"a\"\n"),
            ("[[],{}]", "[\n  [],\n  {}\n]\n"),
            (
                #"{"a":1.50,"b":[true,null],"c":{"d":"e"}}"#,
                """
                {
                  "a": 1.50,
                  "b": [
                    true,
                    null
                  ],
                  "c": {
                    "d": "e"
                  }
                }

                """
            ),
            // Duplicates, order and the text of numbers are kept.
            (
                #"{"a":1e400,"a":12345678901234567890}"#,
                "{\n  \"a\": 1e400,\n  \"a\": 12345678901234567890\n}\n"
            ),
            ("\"\\u00e9\\n\\\"\\\\\\/\"", "\"é\\n\\\"\\\\/\"\n"),
            ("\"\\u001b[31m\\u202e\\ud83d\\udc69\"", "\"\\u001b[31m\\u202e👩\"\n"),
            ("\"\u{7F}\u{85}\"", "\"\\u007f\\u0085\"\n"),
        ]
    )
    func layout(json: String, expected: String) {
        #expect(pretty(json, "application/json") == expected)
        #expect(pretty(json, "application/problem+json; charset=utf-8") == expected)
    }

    @Test("is recognized without a type")
    func untyped() {
        #expect(pretty("{\"a\":1}") == "{\n  \"a\": 1\n}\n")
        #expect(pretty("\r\n [1]", "text/plain") == "[\n  1\n]\n")
        #expect(pretty("[not json]", "text/plain") == "[not json]\n")
    }

    @Test("has a note if it is not valid")
    func invalid() {
        let shown = pretty("{\"a\":01}", "application/json")
        #expect(shown.hasPrefix("(not valid JSON: "), "\(shown)")
        #expect(shown.hasSuffix("\n{\"a\":01}\n"))
        // Half a surrogate pair cannot be shown as a character.
        #expect(pretty(#"["\ud800"]"#, "application/json").hasSuffix(#"["\ud800"]"# + "\n"))
    }

    @Test(
        "that is cut off is shown up to there, with the rest as it is",
        arguments: [
            (#"{"a":[1,2,{"b":"c","d":"e"#, #"{"a":[1,2,{"b":"c"}]}"#, #","d":"e"#),
            (#"{"a":"b""#, #"{"a":"b"}"#, ""),
            (#"{"a":tr"#, "{}", #""a":tr"#),
            (#"[12,34"#, "[12]", ",34"),
            (#"[{"a":{}},{"#, #"[{"a":{}},{}]"#, ""),
            (#"{"a\"":"\\","b"#, #"{"a\"":"\\"}"#, #","b"#),
        ]
    )
    func truncated(json: String, whole: String, rest: String) {
        let expected = pretty(whole) + "(cut off here)\n" + (rest.isEmpty ? "" : rest + "\n")
        #expect(pretty(json, "application/json", isWhole: false) == expected)
    }

    @Test("that is cut off and not JSON is shown as it is")
    func truncatedText() {
        #expect(pretty("{]", "application/json", isWhole: false) == "{]\n")
        #expect(pretty("{'a':1, ", "application/json", isWhole: false) == "{'a':1, \n")
        #expect(pretty("\"abc", "application/json", isWhole: false) == "\"abc\n")
    }

    @Test(
        "of several lines is shown line by line",
        arguments: ["application/x-ndjson", "application/json", "", "application/json-seq"]
    )
    func lines(type: String) {
        let start = type.hasSuffix("seq") ? "\u{1E}" : ""
        let text = "\(start){\"a\":1}\r\n\n\(start)[2]\n\(start){\"b\":}\n"
        let shown = pretty(text, type)
        #expect(shown == "{\n  \"a\": 1\n}\n[\n  2\n]\n{\"b\":}\n(not valid JSON)\n")
    }

    @Test("has decoded tokens below the line, without their signatures")
    func tokens() {
        let secret = token(#"{"alg":"HS256"}"#, #"{"sub":"1"}"#)
        let shown = pretty("{\"t\":\"Bearer \(secret)\",\"n\":1}")
        let parts = secret.split(separator: ".")
        #expect(
            shown == """
                {
                  "t": "Bearer \(parts[0]).\(parts[1]).[masked]",
                    JWT header
                      {
                        "alg": "HS256"
                      }
                    JWT payload
                      {
                        "sub": "1"
                      }
                  "n": 1
                }

                """
        )
        #expect(!shown.contains("c2lnbmF0dXJl"))
    }

    @Test("has the parts of a token below the last member, too")
    func lastToken() {
        let secret = token(#"{"alg":1}"#, "{}", "")
        #expect(
            pretty("[\"\(secret)\"]") == "[\n  \"\(secret)\"\n    JWT header\n      {\n"
                + "        \"alg\": 1\n      }\n    JWT payload\n      {}\n]\n"
        )
    }

    @Test("shows keys, texts and other values in different colours")
    func colours() {
        let written = Written()
        var lines = written.lines(isColoured: true)
        var printer = ContentPrinter()
        printer.write(#"{"a":["b",1]}"#.utf8.span, ByteString(), isWhole: true, to: &lines)
        lines.flush()
        let expected = """
            {
              E36m"a"E0m: [
                E32m"b"E0m,
                E33m1E0m
              ]
            }

            """
        #expect(written.text == expected.replacing("E", with: "\u{1B}["))
    }
}

@Suite("A JSON Web Token, for the terminal")
struct PrettyTokenTests {
    private func field(_ value: String) -> String {
        let written = Written()
        var lines = written.lines()
        var bodies = BodyPrinter(maxLines: nil)
        bodies.field("Authorization".utf8.span, value.utf8.span, to: &lines)
        lines.flush()
        return written.text
    }

    @Test("is shown below its field")
    func signed() {
        let secret = token(#"{"alg":"RS256","typ":"JWT"}"#, #"{"exp":1}"#)
        let lines = field("Bearer \(secret)").split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("Authorization: Bearer eyJ") && lines[0].hasSuffix(".[masked]"))
        #expect(
            lines.dropFirst() == [
                "  JWT header", "    {", "      \"alg\": \"RS256\",", "      \"typ\": \"JWT\"",
                "    }", "  JWT payload", "    {", "      \"exp\": 1", "    }",
            ]
        )
    }

    @Test("may be encrypted, or have no signature")
    func others() {
        let header = base64URL(#"{"alg":"dir","enc":"A128GCM"}"#)
        let encrypted = field("Bearer \(header).a2V5.aXY.Y2lwaGVy.dGFn")
        #expect(encrypted.hasPrefix("Authorization: Bearer \(header).[masked]\n"))
        #expect(encrypted.contains("(JWT payload is encrypted or not base64)"))
        let unsigned = token(#"{"alg":"none"}"#, "{}", "")
        #expect(field(unsigned).hasPrefix("Authorization: \(unsigned)\n  JWT header\n"))
    }

    @Test(
        "is recognized only if its header names an algorithm",
        arguments: [
            "eyJ", "eyJhIjoxfQ.eyJhIjoxfQ.c2ln", "eyJ.eyJ.eyJ", "xeyJhbGciOjF9.e30.c2ln",
            "eyJhbGciOjF9", "eyJhbGciOjF9.", "eyJhbGciOjF9..c2ln", "Basic dXNlcjpwYXNz",
        ]
    )
    func none(text: String) {
        #expect(field(text) == "Authorization: \(text)\n")
    }

    @Test("may occur several times in a line")
    func several() {
        let one = token(#"{"alg":"HS256"}"#, #"{"sub":"1"}"#)
        let shown = field(Array(repeating: one, count: 10).joined(separator: "; "))
        #expect(!shown.contains("c2lnbmF0dXJl"))
        #expect(shown.split(separator: "\n").filter { $0 == "  JWT header" }.count == 8)
        #expect(shown.contains("(2 more tokens in this line)"))
    }
}
