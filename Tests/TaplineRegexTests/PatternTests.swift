// SPDX-License-Identifier: MIT

import TaplineRegex
import Testing

@Suite struct PatternTests {
    @Test(arguments: [
        ("^/health", "/health/live", true), ("^/health", "/a/health", false),
        ("a.c", "xxabcxx", true), ("a.c", "a\nc", false), ("", "", true), ("", "x", true),
        ("é", "caf\u{e9}", true), ("^.$", "é", true), (#"\bid\b"#, "an id here", true),
        (#"\d{4}$"#, "card 4242", true), ("(?i)HOST", "my host", true), ("HOST", "my host", false),
    ])
    func searchesUnanchored(expression: String, text: String, expected: Bool) throws {
        #expect(try Pattern(expression).matches(text) == expected)
    }

    @Test func ignoresCaseOnRequest() throws {
        #expect(try Pattern("token", caseInsensitive: true).matches("X-TOKEN"))
        #expect(try !Pattern("token").matches("X-TOKEN"))
    }

    @Test func returnsGroupsAsRanges() throws {
        let pattern = try Pattern(#"(?P<key>\w+)=(\w+)(;)?"#)
        #expect(pattern.captureCount == 3)
        #expect(pattern.names == [nil, "key", nil, nil])
        #expect(pattern.index(ofGroup: "key") == 1)
        #expect(pattern.index(ofGroup: "value") == nil)

        let match = try #require(pattern.match(Array("  ab=cde".utf8)))
        #expect(match.count == 4)
        #expect(match[0] == 2..<8)
        #expect(match[1] == 2..<4)
        #expect(match[2] == 5..<8)
        #expect(match[3] == nil)
        #expect(match[4] == nil)
        #expect(match[-1] == nil)
    }

    @Test func distinguishesAnEmptyGroupFromAnAbsentOne() throws {
        let match = try #require(Pattern("(x*)|(y)").match([]))
        #expect(match[0] == 0..<0)
        #expect(match[1] == 0..<0)
        #expect(match[2] == nil)
    }

    @Test func searchesFromAnOffsetWithContext() throws {
        let bytes = Array("abab".utf8)
        #expect(try Pattern("ab").range(bytes, from: 1) == 2..<4)
        #expect(try Pattern("^ab").range(bytes, from: 2) == nil)
        #expect(try Pattern("$").range(bytes, from: 4) == 4..<4)
        #expect(try Pattern("ab").range(bytes, from: 5) == nil)
        #expect(try Pattern("ab").range(bytes, from: -1) == nil)
        #expect(try Pattern("ab").range(bytes, from: .max) == nil)
    }

    @Test func reusesCaptures() throws {
        var captures = CaptureGroups()
        let two = try Pattern("(a)(b)")
        let none = try Pattern("c")
        let bytes = Array("xab".utf8)
        func find(_ pattern: Pattern) -> Bool {
            pattern.firstMatch(in: bytes.span, captures: &captures)
        }
        #expect(find(two))
        #expect(captures.count == 3)
        #expect(!find(none))
        #expect(captures.count == 0)
        #expect(captures[0] == nil)
        #expect(find(two))
        #expect(captures[2] == 2..<3)
    }

    @Test func findsMoreGroupsThanFitOnTheStack() throws {
        let pattern = try Pattern(String(repeating: "(a)", count: 40))
        let match = try #require(
            pattern.match([UInt8](repeating: 0x61, count: 40))
        )
        #expect(match.count == 41)
        #expect(match[40] == 39..<40)
    }

    @Test func visitsEveryMatchAndEnds() throws {
        func ranges(_ expression: String, _ text: String) throws -> [Range<Int>] {
            var found: [Range<Int>] = []
            try Pattern(expression).forEachMatch(in: Array(text.utf8).span) { captures in
                if let whole = captures[0] {
                    found.append(whole)
                }
                return found.count < 5
            }
            return found
        }
        #expect(try ranges("a+", "aabaxa") == [0..<2, 3..<4, 5..<6])
        #expect(try ranges("x*", "ab") == [0..<0, 1..<1, 2..<2])
        #expect(try ranges("a", "aaaaaaaaa").count == 5)
    }

    @Test func handlesInvalidUTF8() throws {
        let bytes: [UInt8] = [0xff, 0xfe, 0x00, 0xc3, 0x28, 0x61, 0xed, 0xa0, 0x80, 0xf8]
        #expect(try Pattern("a").range(bytes) == 5..<6)
        #expect(try Pattern("^.").range(bytes) == nil)
        #expect(try Pattern("^(.*)$").range(bytes) == nil)

        var options = PatternOptions()
        options.encoding = .bytes
        options.dotMatchesNewline = true
        #expect(try Pattern("^.*$", options: options).range(bytes) == 0..<10)
        #expect(try Pattern(#"\xff\xfe\x00"#, options: options).range(bytes) == 0..<3)
    }

    @Test func acceptsEveryByteAsInput() throws {
        let patterns = try [Pattern("[^a]"), Pattern(#"\w|\W"#), Pattern(#"(?i)\pL{2,}"#)]
        for first in UInt8.min...UInt8.max {
            for second: UInt8 in [0x00, 0x7f, 0x80, 0xbf, 0xc2, 0xe2, 0xf0, 0xff] {
                let bytes = [first, second]
                for pattern in patterns {
                    if let range = pattern.range(bytes) {
                        #expect(range.lowerBound >= 0 && range.upperBound <= 2)
                    }
                }
            }
        }
    }

    @Test func staysLinear() throws {
        let text = [UInt8](repeating: 0x61, count: 200_000)
        #expect(try Pattern("(a*)*b").range(text) == nil)
        #expect(try Pattern("(a|aa)+$b").range(text) == nil)
    }

    @Test func matchesFromManyThreads() async throws {
        let pattern = try Pattern(#"(\w+)@(\w+)\.test"#)
        let hits = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    (0..<500).count { pattern.matches("mail user\($0)@host\(worker).test now") }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(hits == 4_000)
    }
}
