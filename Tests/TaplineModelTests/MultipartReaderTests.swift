// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineModel

@Suite struct MultipartReaderTests {
    /// The pieces of a body with the boundary `b`, as text; `?` marks doubtful parts, `…` those
    /// without a closing delimiter.
    private func pieces(_ text: String) -> [String]? {
        let type = "multipart/form-data; boundary=b"
        guard let reader = MultipartReader(contentType: type.utf8.span) else { return nil }
        let bytes = Array(text.utf8)
        func show(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self).replacing("\r\n", with: "|")
        }
        var found: [String] = []
        reader.read(bytes.span, 0..<bytes.count) { piece in
            switch piece {
            case .preamble(let place): found.append("before: \(show(place))")
            case .epilogue(let place): found.append("after: \(show(place))")
            case .part(let part):
                let names = part.head.names.map { String(decoding: $0, as: UTF8.self) }
                let doubt = part.isDoubtful ? "?" : ""
                let end = part.isEnded ? "" : "…"
                let content = part.content.map(show) ?? "no end"
                found.append("\(names.first ?? "-"): \(content)\(doubt)\(end)")
            }
        }
        return found
    }

    private static let head = "Content-Disposition: form-data; name="

    @Test func splitsAForm() {
        let text =
            "--b\r\n\(Self.head)a\r\n\r\n1\r\n"
            + "--b\r\n\(Self.head)\"c d\"\r\n\r\n\r\n--b--\r\n"
        #expect(pieces(text) == ["a: 1", "c d: ", "after: |"])
    }

    @Test(arguments: [
        ("", ["before: "]),
        ("no delimiter", ["before: no delimiter"]),
        ("x\r\n--b\r\n\r\n1\r\n--b--", ["before: x|", "-: 1", "after: "]),
        ("--b--rest", ["after: rest"]),
        ("--b\r\n\r\n1", ["-: 1…"]),
        ("--b\r\nA: b\r\n1\r\n--b--", ["-: no end?", "after: "]),
        ("--b", ["-: no end…"]),
        ("--b\r\n\r\na--b\r\n--b--", ["-: a--b", "after: "]),
        ("--b\n\n1\n--b--", ["-: 1", "after: "]),
        // Mixed line ends may be split in two ways.
        ("--b\r\n\r\n1\n--b\r\n\r\n2\r\n--b--", ["-: 1", "-: 2?", "after: "]),
        ("--b\r\n\r\n1\r--b\r\n\r\n2\r\n--b--", ["-: 1", "-: 2?", "after: "]),
        ("--bx\r\n\r\n1\r\n--b--", ["-: 1?", "after: "]),
    ])
    func unusualBodiesHaveDefinedPieces(text: String, expected: [String]) {
        #expect(pieces(text) == expected)
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=b", "b"),
        ("multipart/mixed; boundary=\"a b\"; x=y", "a b"),
        ("multipart/mixed; BOUNDARY=b", "b"),
        ("multipart/mixed; x=\"; boundary=a\"; boundary=b", "b"),
        ("multipart/mixed; boundary*0=a; boundary*1=b", "ab"),
        ("multipart/mixed;\r\n boundary=b", "b"),
        ("multipart/mixed", nil), ("multipart/mixed; boundary=", nil), ("", nil),
    ])
    func readsTheBoundaryParameter(type: String, boundary: String?) {
        let found = MultipartReader.boundary(of: type.utf8.span)
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == boundary)
        let reader = MultipartReader(contentType: type.utf8.span)
        let delimiter = reader.map { String(decoding: $0.delimiter, as: UTF8.self) }
        #expect(delimiter == boundary.map { "--\($0)" })
    }

    @Test func rejectsATypeWithTwoBoundaries() {
        let type = "multipart/mixed; boundary=a; boundary=b"
        #expect(MultipartReader(contentType: type.utf8.span) == nil)
        #expect(MultipartReader.boundary(of: type.utf8.span) == Array("a".utf8))
    }

    @Test func takesTheBoundaryFromTheFirstLine() {
        let body = "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--xyz--"
        let reader = MultipartReader(beginningOf: body.utf8.span)
        #expect(reader?.delimiter == Array("--xyz".utf8))
        for other in [
            "--xyz\r\nno field here, at all", "-xyz\r\ncontent-type: x/y",
            "--\r\ncontent-type: x", "",
        ] {
            #expect(MultipartReader(beginningOf: other.utf8.span) == nil, "\(other)")
        }
    }

    /// Each byte of a body is in at most one piece, and the pieces are in order.
    @Test func piecesDoNotOverlap() {
        var random = Random(seed: 7)
        let reader = MultipartReader(contentType: "a/b; boundary=b".utf8.span)
        let words = [
            "--b", "\r\n", "\n", "\r", "--", "A: b", "; name=x", " ",
            "Content-Disposition: form-data", "x",
        ]
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<20 { text += random.pick(words) }
            let bytes = Array(text.utf8)
            var end = 0
            reader?.read(bytes.span, 0..<bytes.count) { piece in
                let range =
                    switch piece {
                    case .preamble(let place), .epilogue(let place): place
                    case .part(let part): part.range
                    }
                #expect(range.lowerBound >= end && range.upperBound <= bytes.count, "\(text)")
                end = range.upperBound
            }
        }
    }

    @Test func editingUsesWholeDelimiterLines() {
        let type = "multipart/mixed; boundary=b"
        let text = "--b \r\n\r\n--bc\r\n\r\nx\r\n--bc--\r\n--b--"
        guard let reader = MultipartReader(editingContentOf: type.utf8.span) else {
            Issue.record("the type names a boundary")
            return
        }
        func hasDelimiter(_ text: String) -> Bool { reader.hasDelimiter(text.utf8.span) }
        var contents: [String] = []
        let bytes = Array(text.utf8)
        reader.read(bytes.span, 0..<bytes.count) { piece in
            guard case .part(let part) = piece, let content = part.content else { return }
            contents.append(String(decoding: bytes[content], as: UTF8.self))
        }
        #expect(contents == ["--bc\r\n\r\nx\r\n--bc--"])
        #expect(hasDelimiter("x\r\n--b\r\ny"))
        #expect(hasDelimiter("--b--"))
        #expect(!hasDelimiter("x --b\r\n--bc"))
        let none = "multipart/mixed"
        let isNone = MultipartReader(editingContentOf: none.utf8.span) == nil
        #expect(isNone)
    }
}
