// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

@Suite struct TextEditorTests {
    private func edited(_ text: String) throws -> String {
        var full = exchange()
        full.error = ExchangeError(code: "x", message: text)
        return try redact(full, "mask: '*'").error?.message ?? ""
    }

    @Test(arguments: [
        ("nothing here", "nothing here"), ("a=b c:d", "a=b c:d"), ("token", "token"),
        ("token=a b", "token=* b"), ("token =a&b=c", "token =*&b=c"),
        ("token: a b\nc", "token: *\nc"),
        (#"token="a b" c"#, #"token="*" c"#),
        (#""token" : "a\"b", "c": 1"#, #""token" : "*", "c": 1"#),
        ("token='a", "token='*"), ("token=", "token="), ("token:", "token:"), ("=token", "=token"),
        ("my token=a", "my token=*"), ("mytoken=a", "mytoken=*"), ("tokened=a", "tokened=a"),
        ("x.token=a", "x.token=*"),
        ("see http://u:p@h/x?token=a", "see http://%2A@h/x?token=*"),
        (
            "http%3A%2F%2Fu%3Ap%40h%2F%3Ftoken%3Da%26b%3Dc",
            "http%3A%2F%2F%2A%40h%2F%3Ftoken%3D*%26b%3Dc"
        ),
        ("http://h/@x", "http://h/@x"), ("mailto:u@h", "mailto:u@h"), ("", ""), ("::==", "::=="),
        ("tok%65n=a b", "tok%65n=* b"), ("%", "%"), ("%3", "%3"), ("token%3", "token%3"),
    ])
    func namesAndURLsAreFound(text: String, expected: String) throws {
        #expect(try edited(text) == expected)
    }

    /// Logs write terminal colors around names: `ESC [ … m`.
    @Test(arguments: [
        ("\u{1B}[1mtoken\u{1B}[0m=a", "\u{1B}[1mtoken\u{1B}[0m=*"),
        ("\u{1B}[1;32mtoken\u{1B}[m: a", "\u{1B}[1;32mtoken\u{1B}[m: *"),
        ("x \u{1B}[36mtoken\u{1B}[39m\u{1B}[0m=a b", "x \u{1B}[36mtoken\u{1B}[39m\u{1B}[0m=* b"),
        ("\u{1B}[36mcount\u{1B}[0m=a", "\u{1B}[36mcount\u{1B}[0m=a"),
        ("\u{1B}[36m=a", "\u{1B}[36m=a"),
    ])
    func colorsAroundNamesAreSkipped(text: String, expected: String) throws {
        #expect(try edited(text) == expected)
        #expect(try redactBody(text, "text/plain", "mask: '*'") == expected)
    }
}
