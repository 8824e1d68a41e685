// SPDX-License-Identifier: MIT

import TaplineMultiPattern
import Testing

@Suite("Scanning for literals")
struct LiteralScannerTests {
    private static func matches(
        _ literals: [LiteralSet.Literal],
        _ text: String,
        cuts: [Int] = []
    ) throws -> [LiteralMatch] {
        let scanner = try LiteralScanner(LiteralSet(literals))
        let bytes = Array(text.utf8)
        var matches: [LiteralMatch] = []
        var start = 0
        for cut in cuts + [bytes.count] {
            try scanner.scan(bytes.span, in: start..<cut, into: &matches)
            start = cut
        }
        return matches
    }

    /// The expected matches, found by comparing at each position.
    private static func simply(
        _ literals: [LiteralSet.Literal],
        _ text: String
    ) -> Set<LiteralMatch> {
        var found: Set<LiteralMatch> = []
        for (index, literal) in literals.enumerated() {
            let wanted = String(decoding: literal.bytes, as: UTF8.self)
            for end in 0...text.count {
                let part = String(text.prefix(end).suffix(wanted.count))
                let isEqual =
                    literal.ignoresCase ? part.lowercased() == wanted.lowercased() : part == wanted
                if isEqual { found.insert(LiteralMatch(literal: index, end: end)) }
            }
        }
        return found
    }

    @Test("reports the literal and its end")
    func ends() throws {
        #expect(
            try Self.matches([.init("abc"), .init("xy")], "abc..xyabc") == [
                LiteralMatch(literal: 0, end: 3), LiteralMatch(literal: 1, end: 7),
                LiteralMatch(literal: 0, end: 10),
            ]
        )
        #expect(try Self.matches([.init("abc")], "").isEmpty)
        #expect(try Self.matches([.init("abc")], "ab").isEmpty)
    }

    @Test("ignores case only for literals that ask for it")
    func letterCase() throws {
        let literals: [LiteralSet.Literal] = [.init("Key"), .init("Key", ignoresCase: true)]
        #expect(
            try Self.matches(literals, "kEY") == [LiteralMatch(literal: 1, end: 3)]
        )
        #expect(
            Set(try Self.matches(literals, "Key").map(\.literal)) == [0, 1]
        )
    }

    @Test("treats no byte of a literal as an operator")
    func operators() throws {
        let literals: [LiteralSet.Literal] = [.init("a.c"), .init([0x61, 0, 0x62]), .init("(.*")]
        #expect(
            try Self.matches(literals, "abc a.c a\0b (.*") == [
                LiteralMatch(literal: 0, end: 7), LiteralMatch(literal: 1, end: 11),
                LiteralMatch(literal: 2, end: 15),
            ]
        )
    }

    @Test("reports each match once, however the text is split")
    func cuts() throws {
        let literals: [LiteralSet.Literal] = [
            .init("aba"), .init("b"), .init("ababab"), .init("BAB", ignoresCase: true),
        ]
        let text = "abababxbababAabab"
        let whole = try Self.matches(literals, text)
        #expect(Set(whole) == Self.simply(literals, text))
        for first in 0...text.utf8.count {
            for second in first...text.utf8.count {
                let parts = try Self.matches(literals, text, cuts: [first, second])
                #expect(Set(parts) == Set(whole) && parts.count == whole.count)
                #expect(parts.map(\.end) == whole.map(\.end))
            }
        }
    }

    @Test("clamps the range to the text")
    func outside() throws {
        let scanner = try LiteralScanner(LiteralSet([.init("ab")]))
        let bytes = Array("abab".utf8)
        var matches: [LiteralMatch] = []
        try scanner.scan(bytes.span, in: -5..<900, into: &matches)
        #expect(matches.count == 2)
        try scanner.scan(bytes.span, in: 700..<900, into: &matches)
        #expect(matches.count == 2)
    }

    @Test("threads share a set, each with its own scanner")
    func threads() async throws {
        let set = try LiteralSet([.init("needle")])
        let bytes = Array(String(repeating: "hay needle ", count: 1000).utf8)
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let scanner = try LiteralScanner(set)
                    var matches: [LiteralMatch] = []
                    for _ in 0..<20 { try scanner.scan(bytes.span, into: &matches) }
                    return matches.count
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [20_000, 20_000, 20_000, 20_000])
    }
}
