// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineDetectors
import TaplinePlugin
import Testing

@Suite("Patterns of the user")
struct OwnPatternTests {
    @Test(
        "find the match or one of its groups, with and without a literal head",
        arguments: [
            (
                #"ACME-[0-9]{6}"#, 0, "x ACME-123456 ACME-12 ACME-654321.",
                ["ACME-123456", "ACME-654321"]
            ),
            (#"\bACME-(\d+)"#, 1, "ACME-1 xACME-2 ACME-3", ["1", "3"]),
            (#"(?i)acme=(\w+)(;x)?"#, 1, "Acme=a ACME=b;x", ["a", "b"]),
            (#"(?i)acme=(\w+)(;x)?"#, 2, "Acme=a ACME=b;x", [";x"]),
            (#"[a-f]{4}-[0-9]{4}"#, 0, "abcd-1234 x fade-0000", ["abcd-1234", "fade-0000"]),
            (#"tik?tak-\d"#, 0, "titak-1 tiktak-2", ["titak-1", "tiktak-2"]),
            (#"ab+c\.d"#, 0, "abbbc.d abcxd", ["abbbc.d"]),
            (#"one-\d|two-\d"#, 0, "one-1two-2", ["one-1", "two-2"]),
            (#"kö\+[A-Z]"#, 0, "kö+A", ["kö+A"]), (#"\Qa.b\E\d"#, 0, "a.b1 acb2", ["a.b1"]),
            (#"^key-\d"#, 0, "key-1 key-2", ["key-1"]), (#"abc(?=d)?"#, 0, "", []),
        ].dropLast()
    )
    func matches(regex: String, group: Int, text: String, expected: [String]) throws {
        let scan = try Scan(pattern: regex, group: group)
        #expect(scan.set.kinds == ["own"])
        for count in [0, 5, 9_000] {
            let filler = String(repeating: ".", count: count)
            let whole = regex.hasPrefix("^") ? text + filler : filler + text + filler
            #expect(scan.texts(whole) == expected)
        }
    }

    @Test("combine with detectors and report their own names")
    func together() throws {
        let scan = try Scan(
            DetectorChoice(
                names: [Located("email")],
                patterns: [
                    SecretPattern(name: "order", regex: Located(#"ORD-\d+"#)),
                    SecretPattern(name: "digits", regex: Located(#"\d{4}"#)),
                ]
            )
        )
        #expect(scan.set.kinds == ["email", "order", "digits"])
        // Two overlapping findings are merged.
        #expect(
            scan("ORD-12345, 1234 jane@shop.test") == [
                Scan.Finding(kind: "order", text: "ORD-12345"),
                Scan.Finding(kind: "digits", text: "1234"),
                Scan.Finding(kind: "email", text: "jane@shop.test"),
            ]
        )
    }

    private static func problems(_ yaml: String, group: Int = 0, name: String = "own") -> [String] {
        let source = ConfigSource(name: "p.yaml", text: yaml)
        var diagnostics = Diagnostics()
        guard let node = ConfigReader().read(source, into: &diagnostics) else {
            return ["not read"]
        }
        let regex = Located(node.text ?? "", at: node)
        let set = PluginRegistry.detectors.detectors?.build(
            DetectorChoice(patterns: [SecretPattern(name: name, regex: regex, group: group)]),
            into: &diagnostics
        )
        #expect(set == nil)
        return diagnostics.all.map {
            "\($0.location.map(String.init(describing:)) ?? "-"): \($0.message)"
        }
    }

    @Test("that cannot be compiled are errors with a position in the pattern")
    func malformed() {
        #expect(
            Self.problems("'ab[c-a]d'") == [
                "p.yaml:1:5: pattern 'own' cannot be compiled; invalid character class range: 'c-a'"
            ]
        )
        #expect(
            Self.problems("'ab(c'") == [
                "p.yaml:1:2: pattern 'own' cannot be compiled; missing ): 'ab(c'"
            ]
        )
    }

    @Test(
        "that match the empty string are errors",
        arguments: [
            "'a*'", "'\\b'", "'(x|)'", "'^'", "'(?m)$'", "''",
        ]
    )
    func empty(regex: String) {
        #expect(
            Self.problems(regex) == [
                "p.yaml:1:1: pattern 'own' matches the empty string; "
                    + "expected one that matches a secret"
            ]
        )
    }

    @Test("need an existing group and a unique name")
    func groupsAndNames() {
        for group in [2, -1] {
            #expect(
                Self.problems("'a(b)'", group: group) == [
                    "p.yaml:1:1: pattern 'own' has no group \(group); found 1 group"
                ]
            )
        }
        #expect(Self.problems("'ab'", name: "") == ["p.yaml:1:1: a pattern has no name"])
        #expect(Self.problems("'ab'", name: "jwt") == ["p.yaml:1:1: the name 'jwt' is taken"])
    }
}
