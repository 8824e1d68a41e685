// SPDX-License-Identifier: MIT

import Glibc
import TaplineHTTP
import TaplineModel
import Testing

/// Tests for the reference page.
@Suite
struct ReadmeTests {
    // swift-format-ignore
    @Test func theExampleRuns() throws {
        let received = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8)
        var parser = RequestParser()
        let head = try #require(try parser.parse(received.span))     // nil: more bytes have to arrive
        var decoder = BodyDecoder(head.framing, .request)
        let part = try decoder.next(received.span.extracting(head.byteCount...))
        var output: [UInt8] = []
        try HeadWriter.append(head.request, RequestWriting(framing: head.framing), to: &output)
        output += received[head.byteCount...].prefix(part.consumed)  // the body as it was framed
        #expect(part.state == .ended)
        #expect(output == Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8))
    }

    @Test func theExampleIsTheOneOnThePage() throws {
        let page = try lines(of: "../../Sources/Network/TaplineHTTP/README.md")
        let start = try #require(page.firstIndex(of: "```swift")) + 1
        let end = try #require(page[start...].firstIndex(of: "```"))
        let here = try lines(of: "ReadmeTests.swift").map { $0.drop { $0 == " " } }
        for line in page[start..<end] {
            #expect(here.contains { $0 == line }, "not in the test: \(line)")
        }
        #expect(end - start > 5)
    }

    @Test func theLimitsAreThoseOnThePage() throws {
        let limits = HTTPLimits()
        let page = try lines(of: "../../Sources/Network/TaplineHTTP/README.md")
        for (name, value) in [
            ("line", limits.line), ("head", limits.head), ("chunkLine", limits.chunkLine),
            ("chunkExtensions", limits.chunkExtensions), ("trailers", limits.trailers),
        ] {
            #expect(
                page.contains {
                    $0.hasPrefix("| `\(name)`") && $0.contains("| \(value / 1024) KiB |")
                }
            )
        }
        #expect(page.contains { $0.hasPrefix("| `fields`") && $0.contains("| \(limits.fields) |") })
    }

    /// The lines of a file beside this one.
    private func lines(of name: String) throws -> [String] {
        let folder = #filePath.prefix(upTo: try #require(#filePath.lastIndex(of: "/")))
        let file = unsafe try #require(fopen("\(folder)/\(name)", "r"))
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        while true {
            let byte = unsafe getc(file)
            if byte < 0 { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).map(String.init)
    }
}
