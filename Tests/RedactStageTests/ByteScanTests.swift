// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RedactStage

/// The searches that process sixteen bytes at a time find the same as a byte-by-byte search.
@Suite struct ByteScanTests {
    /// A search, and the bytes that it searches for.
    struct Search: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isWanted: @Sendable (UInt8) -> Bool
        /// Whether it also finds a backslash before a code.
        var wantsCodes = false
        let next: @Sendable (Span<UInt8>, Int) -> Int

        func isWanted(_ byte: UInt8, before next: UInt8?) -> Bool {
            if wantsCodes, byte == UInt8(ascii: "\\"), let next {
                return "ux\\".utf8.contains(next)
            }
            return isWanted(byte)
        }
    }

    static let searches = [
        Search(testDescription: "quote", isWanted: { "\"\\".utf8.contains($0) }) {
            $0.nextQuote(from: $1)
        },
        Search(testDescription: "number end", isWanted: { !"0123456789+-.eE".utf8.contains($0) }) {
            $0.nextNoNumber(from: $1)
        },
        Search(testDescription: "blanks end", isWanted: { !" \n\r\t".utf8.contains($0) }) {
            $0.nextNoBlank(from: $1)
        },
        Search(
            testDescription: "pair mark",
            isWanted: { "=:,;|%".utf8.contains($0) },
            wantsCodes: true,
            next: { $0.nextPairMark(from: $1) }
        ),
        Search(
            testDescription: "pair mark or blank",
            isWanted: { "=:,;|% ".utf8.contains($0) },
            wantsCodes: true,
            next: { $0.nextPairMark(from: $1, orBlank: true) }
        ),
        Search(
            testDescription: "authority end",
            isWanted: { $0 <= 0x20 || "/?#\"<>\\%".utf8.contains($0) },
            next: { $0.nextAuthorityEnd(from: $1) }
        ),
        Search(testDescription: "user info end", isWanted: { "@\\%".utf8.contains($0) }) {
            $0.nextUserInfoEnd(from: $1)
        },
        Search(
            testDescription: "path end",
            isWanted: { $0 <= 0x20 || "?#\"'<>\\`&".utf8.contains($0) },
            next: { $0.nextPathEnd(from: $1) }
        ),
        Search(testDescription: "time end", isWanted: { !"0123456789:-+.TZ ".utf8.contains($0) }) {
            $0.nextNonTimestamp(from: $1)
        },
        Search(
            testDescription: "control character",
            isWanted: { $0 < 0x20 && !"\t\n\u{0B}\u{0C}\r\u{1B}\u{1E}".utf8.contains($0) },
            next: { $0.nextNonTextControl(from: $1) }
        ),
        Search(testDescription: "parenthesis", isWanted: { $0 == UInt8(ascii: "(") }) {
            $0.nextParenthesis(from: $1)
        },
    ]

    /// Each byte is distinguished at each position of a block, and after the last whole block.
    @Test(arguments: searches)
    func eachByteIsFoundAtEachPosition(search: Search) throws {
        let other = try #require((0...UInt8.max).first { !search.isWanted($0) })
        for byte in 0...UInt8.max {
            for count in [1, 2, 15, 16, 17, 31, 32, 40] {
                for place in [0, 1, 14, 15, 16, 17, 30, 31, 32, 39] where place < count {
                    var text = [UInt8](repeating: other, count: count)
                    text[place] = byte
                    let expected = search.isWanted(byte) ? place : count
                    #expect(
                        search.next(text.span, 0) == expected,
                        "\(byte) at \(place) of \(count)"
                    )
                }
            }
        }
    }

    /// Bytes outside of the searched range have no influence, wherever it begins and ends.
    @Test(arguments: searches)
    func onlyTheGivenRangeIsSearched(search: Search) {
        var random = Random(seed: 21)
        let text = (0..<90).map { _ in
            random.pick(Array("aaaaaaaaaaaau11111111111\"\\\\ \n=:%".utf8))
        }
        for end in 0...text.count {
            let part = text.span.extracting(0..<end)
            for start in 0...end {
                let expected = (start..<end).first { place in
                    search.isWanted(text[place], before: place + 1 < end ? text[place + 1] : nil)
                }
                #expect(search.next(part, start) == expected ?? end, "\(start)..<\(end)")
            }
        }
    }

    @Test(arguments: [
        ("\\u003d", 0), ("a\\x3d", 1), ("\\\\n", 0), ("\\n\\\"\\/\\", 7), ("\\n\\u", 2),
        ("fifteen letters\\u0026", 15), ("fourteen.words\\\\\"", 14), ("a\\", 2),
    ])
    func backslashesBeforeCodesAreFound(text: String, mark: Int) {
        let found = text.utf8.span.nextPairMark(from: 0)
        #expect(found == mark)
        let foundAfter = "=\(text)".utf8.span.nextPairMark(from: 1)
        #expect(foundAfter == mark + 1)
    }

    static let hints: [(String, TextHints)] = [
        ("--", .options), ("-u", .options), ("-U", .options), (":", .colons), ("=", .names),
        ("@", .names), ("%", .names), ("{", .names), ("\\", .names), (",", .credentials),
        ("\n", [.credentials, .lines]), ("be", .credentials), ("Ba", .credentials),
        ("jW", .credentials),
        ("dp", .credentials), ("KE", .credentials), ("- ", []), ("-", []), ("x", []), ("u-", []),
        ("bx", []), ("('", [.code, .quotes]), ("[\"", [.code, .quotes]), ("(`", [.code, .quotes]),
        ("( ", []),
        ("\"", .quotes), ("'", .quotes), ("`", .quotes),
    ]

    /// At each position of a block and of the last bytes, and nothing after the text.
    @Test(arguments: hints)
    func hintsAreDetected(sign: String, hints: TextHints) {
        for count in [2, 3, 15, 16, 17, 18, 31, 32, 33, 34, 50] {
            for place in 0...count - sign.utf8.count {
                var text = [UInt8](repeating: 0x78, count: count)
                text.replaceSubrange(place..<place + sign.utf8.count, with: sign.utf8)
                let seen = text.span.textHints()
                #expect(seen == hints, "at \(place) of \(count)")
                let seenThere = text.span.textHints(from: place)
                #expect(seenThere == hints, "at \(place) of \(count)")
                let seenAfter = text.span.textHints(from: place + 1)
                let later = sign.utf8.count == 2 ? hints.intersection(.quotes) : []
                #expect(seenAfter == later, "at \(place) of \(count)")
                let cut = text.span.extracting(0..<place + sign.utf8.count - 1).textHints()
                #expect(cut.isEmpty, "at \(place) of \(count)")
                let isOption = text.span.hasOption(from: 0)
                #expect(isOption == (hints == .options), "at \(place) of \(count)")
            }
        }
        let none: [UInt8] = []
        let seen = none.span.textHints()
        #expect(seen.isEmpty)
    }
}
