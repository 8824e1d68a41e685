// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineFormats

/// Hostile content takes linear time, and neither traps nor reaches the terminal unescaped.
@Suite("Nasty content, laid out")
struct PrettyNastyTests {
    private static let million = 1_000_000

    /// Shows content without keeping the output; returns the number of bytes written.
    private func count(_ text: String, _ type: String, isWhole: Bool = true) -> Int {
        var count = 0
        var lines = PrettyText(isColoured: false) { piece in
            count += piece.count
            return true
        }
        var printer = ContentPrinter()
        let bytes = Array(text.utf8)
        printer.write(bytes.span, ByteString(type), isWhole: isWhole, to: &lines)
        lines.flush()
        return count
    }

    @Test("may be nested a million times", .timeLimit(.minutes(2)))
    func nested() {
        let lists = String(repeating: "[", count: Self.million)
        let closed = lists + String(repeating: "]", count: Self.million)
        let size = count(closed, "application/json")
        // Two lines for each list, with at most 32 levels of indentation.
        #expect(size > 2 * Self.million && size < 140 * Self.million)
        #expect(count(lists, "application/json", isWhole: false) > Self.million)
        #expect(count(lists, "application/json") >= Self.million)
        let deeper = String(repeating: "[", count: 1_100_000)
        #expect(count(deeper, "application/json", isWhole: false) >= 1_100_000)
        let tags = String(repeating: "<a>", count: Self.million)
        #expect(count(tags, "text/xml") > 3 * Self.million)
        #expect(count(tags + String(repeating: "</b>", count: 10_000), "text/html") > 0)
        let braces = "{\"query\":\"" + String(repeating: "{a", count: 100_000) + "\"}"
        #expect(count(braces, "application/json") > 100_000)
    }

    @Test(
        "takes linear time",
        .timeLimit(.minutes(2)),
        arguments: [
            ("<", "text/xml"), ("<a b=\"", "text/xml"), ("<a '", "text/html"),
            ("<!--", "text/xml"), ("<![CDATA[", "text/html"), ("<script>", "text/html"),
            ("</a", "text/html"), ("<a><b>", "text/html"), ("eyJ", "application/json"),
            ("eyJhbGciOjF9.", "text/plain"), ("&", "application/x-www-form-urlencoded"),
            ("\n--b", "multipart/mixed; boundary=b"), ("--b\r\n", "multipart/mixed; boundary=b"),
            ("\n", "text/event-stream"), ("data\n\n", "text/event-stream"),
            ("{\"a\":", "application/json"), ("\"", "application/graphql"),
            ("\"\"\"", "application/graphql"), ("(", "application/graphql"),
            ("{}\n", "application/x-ndjson"), ("[\n", "application/x-ndjson"),
        ]
    )
    func repeated(piece: String, type: String) {
        let text = String(repeating: piece, count: 300_000 / piece.utf8.count)
        // Only empty lines are left out.
        #expect(count(text, type) > 0 || piece == "\n")
        #expect(count("[\"\(text)\"]", type, isWhole: false) > 0)
    }

    @Test("of 100 MB is written in pieces", .timeLimit(.minutes(2)))
    func large() {
        var sizes = (count: 0, longest: 0)
        var lines = PrettyText(isColoured: false) { piece in
            sizes = (sizes.count + piece.count, max(sizes.longest, piece.count))
            return true
        }
        var printer = ContentPrinter()
        let text = Array(repeating: UInt8.ascii("x"), count: 100 << 20)
        printer.write(text.span, "text/plain", isWhole: true, to: &lines)
        let json = Array("[\"".utf8) + text + Array("\"]".utf8)
        printer.write(json.span, "application/json", isWhole: true, to: &lines)
        lines.flush()
        #expect(sizes.count > 200 << 20)
        #expect(sizes.longest < 1 << 20)
    }

    @Test("ends when nobody reads any more")
    func closed() {
        let written = Written()
        written.limit = 2
        var lines = written.lines()
        var printer = ContentPrinter()
        let ones = Array(repeating: "1", count: 100_000).joined(separator: ",")
        let numbers = Array("[\(ones)]".utf8)
        printer.write(numbers.span, "application/json", isWhole: true, to: &lines)
        printer.write(numbers.span, "application/protobuf", isWhole: true, to: &lines)
        lines.flush()
        #expect(lines.isClosed)
        #expect(written.pieces.count == 2)
    }

    @Test("never reaches the terminal unescaped, whatever its kind")
    func escapes() {
        let evil = "\u{1B}]0;x\u{07}\u{9B}2J\u{202E}\u{2028}\u{08}\u{7F}"
        let types = [
            "", "application/json", "application/x-ndjson", "text/xml", "text/html",
            "application/x-www-form-urlencoded", "multipart/mixed; boundary=b",
            "application/graphql", "text/event-stream", "image/png", "application/grpc",
        ]
        let shapes = [
            "X", "{\"X\":\"X\"}", "[\"X", "<a X>X</X><!--X--><script>X</script>", "X=X&X",
            "--b\r\nX: X\r\nX\r\n\r\nX\r\n--b--X", "{ X(a: \"X\") #X", "data:X\nX: X\n\nX",
            "{\"query\":\"{ X }\",\"variables\":\"X\"}",
        ]
        for type in types {
            for shape in shapes {
                for isWhole in [true, false] {
                    var bytes = Array(shape.replacing("X", with: evil).utf8)
                    bytes += [0xFF, 0x9B] + Array(repeating: 0x20, count: 200)
                    for scalar in pretty(bytes, type, isWhole: isWhole).unicodeScalars
                    where scalar != "\n" && scalar.isUnsafeOnTerminal {
                        Issue.record("\(type) \(shape) lets \(scalar.value) pass")
                    }
                }
            }
        }
    }
}
