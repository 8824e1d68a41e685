// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct JSONEditorTests {
    @Test(arguments: [
        (#"{"password":"s"}"#, #"{"password":"[redacted]"}"#),
        (
            #" { "a" : 1 , "password" : "s" , "b" : [ ] } "#,
            #" { "a" : 1 , "password" : "[redacted]" , "b" : [ ] } "#
        ),
        (
            #"{"Password":1,"PASSWORD":null,"pass-word":true}"#,
            #"{"Password":"[redacted]","PASSWORD":null,"pass-word":true}"#
        ),
        (#"{"\u0070assword":"s"}"#, #"{"\u0070assword":"[redacted]"}"#),
        (
            #"{"password":"a","password":"b"}"#,
            #"{"password":"[redacted]","password":"[redacted]"}"#
        ),
        (#"{"a":{"b":[{"token":"s"}]}}"#, #"{"a":{"b":[{"token":"[redacted]"}]}}"#),
        (
            #"{"credentials":{"user":"u","deep":[1,{"x":"]"}]},"a":1}"#,
            #"{"credentials":"[redacted]","a":1}"#
        ),
        (#"{"secret":[]}"#, #"{"secret":"[redacted]"}"#),
        (
            #"{"a":"password","b":"say \"password\":"}"#,
            #"{"a":"password","b":"say \"password\":"}"#
        ),
        (
            #"[{"token":"a\"b"},-1.5e+3,true,false,null]"#,
            #"[{"token":"[redacted]"},-1.5e+3,true,false,null]"#
        ),
        (
            "{\"pin\":1}\n{\"pin\":2}\n",
            "{\"pin\":\"[redacted]\"}\n{\"pin\":\"[redacted]\"}\n"
        ),
        (
            "\u{1E}{\"pin\":1}\n\u{1E}{\"a\":2}\n",
            "\u{1E}{\"pin\":\"[redacted]\"}\n\u{1E}{\"a\":2}\n"
        ),
        ("\u{FEFF}{\"pin\":1}", "\u{FEFF}{\"pin\":\"[redacted]\"}"),
        (")]}',\n{\"pin\":1}", ")]}',\n{\"pin\":\"[redacted]\"}"),
        (#"{"a":NaN,"b":-Infinity,"token":NaN}"#, #"{"a":NaN,"b":-Infinity,"token":"[redacted]"}"#),
        ("", ""), ("1", "1"), (#""x""#, #""x""#), ("[]", "[]"), ("{}", "{}"),
    ])
    func valuesOfNamedKeysAreReplaced(body: String, expected: String) throws {
        #expect(try redactBody(body) == expected)
    }

    @Test(arguments: [
        (#"{"token":"abc"#, #"{"token":[redacted]"#),
        (#"{"a":1,"token":{"b":1"#, #"{"a":1,"token":[redacted]"#),
        (#"{"a":"b"#, #"{"a":[redacted]"#),
        (#"{"a":1,"tok"#, #"{"a":1,[redacted]"#),
        (#"{"a":1}x"secret""#, #"{"a":1}[redacted]"#),
        (#"{"a":hello,"token":"s"}"#, #"{"a":[redacted]"#),
        (#"{"a":1,}"#, #"{"a":1,[redacted]"#),
        (#"{a:1}"#, "{[redacted]"),
        ("[1,2]]", "[1,2][redacted]"),
        ("[1}", "[1[redacted]"),
        ("<html>", "<html>"), ("Not found", "Not found"),
        (#"{"a":1,"#, #"{"a":1,"#),
        (#"{"token":"#, #"{"token":"#),
    ])
    func malformedJSONIsMasked(body: String, expected: String) throws {
        #expect(try redactBody(body) == expected)
    }

    @Test(arguments: [
        (#"{"pin":1,"a":2}"#, #"{"a":2}"#), (#"{"a":2,"pin":1}"#, #"{"a":2}"#),
        (#"{"pin":1}"#, "{}"), (#"{"pin":1,"password":2}"#, "{}"),
        (#"{"pin":1,"a":2,"password":{"x":[]}}"#, #"{"a":2}"#),
        (#"{"a":1,"pin":1,"password":2,"b":3}"#, #"{"a":1,"b":3}"#),
        (#"{"a":1,"pin":1,"password":2}"#, #"{"a":1}"#),
        (#"{ "a" : 1 , "pin" : 1 }"#, #"{ "a" : 1 }"#),
        (#"{"a":{"pin":1},"b":2,"token":"x""#, #"{"a":{},"b":2"#),
    ])
    func removalKeepsTheRestValid(body: String, expected: String) throws {
        #expect(try redactBody(body, "application/json", "action: remove") == expected)
    }

    @Test func hashesOfEqualValuesAreEqual() throws {
        let body = #"{"token":"abc","password":"\u0061bc","secret":"abd","pin":12,"otp":12}"#
        let result = try redactBody(body, "application/json", "action: hash")
        let hashes = result.split(separator: "\"").map(String.init).filter { $0.hasPrefix("h-") }
        #expect(hashes.count == 5)
        #expect(hashes.allSatisfy { $0.utf8.count == 34 })
        #expect(hashes[0] == hashes[1])
        #expect(hashes[0] != hashes[2])
        #expect(hashes[3] == hashes[4])
        let key = "action: hash\nkey_env: TAPLINE_REDACT_KEY"
        let first = try redactBody(body, "application/json", key)
        #expect(try redactBody(body, "application/json", key) == first)
        #expect(first != result)
    }

    @Test func depthIsLimited() throws {
        let deep = String(repeating: "[", count: 200_000)
        let result = try redactBody(deep)
        #expect(result == String(repeating: "[", count: 512) + "[redacted]")
        #expect(try redactBody("[[[[1]]]]", "application/json", "max_depth: 3") == "[[[[redacted]")
    }
}
