// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

@Suite struct CookieEditorTests {
    private static let mask = "[redacted]"

    @Test(arguments: [
        ("a=1; b=2", "a=*; b=*"), ("a=1;b=2;", "a=*;b=*;"), ("a", "*"), ("a=", "a=*"),
        ("a=x=y; b", "a=*; *"), (#"a="x;y"; b=1"#, "a=*; b=*"), (#"a="x"#, "a=*"), ("", ""),
        (" a = 1 ", " a = * "), ("a=1;;b=2", "a=*;;b=*"),
    ])
    func theStandardPresetMasksAllCookies(value: String, expected: String) throws {
        let expected = expected.split(separator: "*", omittingEmptySubsequences: false)
            .joined(separator: Self.mask)
        #expect(try redactField("Cookie", value) == expected)
    }

    @Test(arguments: [
        ("sid=1; theme=dark", "sid=*; theme=dark"), ("theme=dark; SID=1", "theme=dark; SID=*"),
        ("theme=dark", "theme=dark"),
    ])
    func onlyNamedCookiesAreMasked(value: String, expected: String) throws {
        let yaml = "{preset: none, cookies: [sid], mask: '*'}"
        #expect(try redactField("Cookie", value, yaml) == expected)
    }

    @Test(arguments: [
        ("sid=1; Path=/; HttpOnly", "sid=*; Path=/; HttpOnly"),
        ("theme=a; Path=/", "theme=a; Path=/"),
        ("theme=a; Path=/\nsid=1; Secure", "theme=a; Path=/\nsid=*; Secure"),
        (
            "theme=a; Expires=Wed, 21 Oct 2026 07:28:00 GMT, sid=1; Secure",
            "theme=a; Expires=Wed, 21 Oct 2026 07:28:00 GMT, sid=*; Secure"
        ),
        ("sid=a,b; Path=/", "sid=*; Path=/"), ("sid", "sid"),
    ])
    func setCookieKeepsItsAttributes(value: String, expected: String) throws {
        let yaml = "{preset: none, cookies: [sid], mask: '*'}"
        #expect(try redactField("Set-Cookie", value, yaml) == expected)
    }

    @Test(arguments: [
        ("Cookie", "sid=1; theme=dark", "theme=dark"),
        ("Cookie", "theme=dark; sid=1", "theme=dark"),
        ("Cookie", "sid=1", nil), ("Cookie", "a=1; sid=1; sid=2; b=2", "a=1; b=2"),
        ("Set-Cookie", "sid=1; Path=/", nil), ("Set-Cookie", "a=1\nsid=1", "a=1\n"),
    ])
    func namedCookiesAreRemoved(name: String, value: String, expected: String?) throws {
        let yaml = "{preset: none, cookies: [sid], action: remove}"
        #expect(try redactField(name, value, yaml) == expected)
    }
}
