// SPDX-License-Identifier: MIT

import Glibc
import TaplineHTTP
import TaplineModel
import TestSupport
import Testing

/// Compares messages that this module accepts with h11 and nginx, which have to read them in the
/// same way, and likewise what it writes of them.
///
/// The messages are those of the other tests and thousands of similar ones. Refused messages are
/// not compared. `Tests/Scripts/http-peers` lists the messages that only the others refuse.
@Suite
struct PeerTests {
    static let requests = [
        RequestParserTests.typical + "hello",
        "POST /a?b=%20c HTTP/1.1\r\nHost: a.test:80\r\nTransfer-Encoding: chunked\r\n\r\n"
            + BodyDecoderTests.chunked,
        "GET http://b.test/x?y HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "PUT /\u{E9}|\"{}^` HTTP/1.1\r\nHost: [::1]:8080\r\nContent-Length: 0\r\nX: \u{E9}\r\n\r\n",
        "\r\nGET /x HTTP/1.1\r\nhost:a\r\nA:b\r\nA: c \r\nExpect: 100-continue\r\n\r\n",
    ]

    static let responses = [
        ResponseParserTests.typical + "not here!",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n"
            + BodyDecoderTests.chunked,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end",
        "HTTP/1.0 301 Moved\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", "HTTP/1.1 304 \r\nContent-Length: 7\r\n\r\n",
    ]

    private static let pieces = [
        "\r\n", "\n", "\r", " ", "\t", ":", ",", ";", "0", "1", "5", "a", "Content-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Host: b\r\n", "0\r\n\r\n",
        "HTTP/1.0", "chunked, ", "+", "\"", "%2e", "/", "\u{0}", "\u{E9}", "X-Y: z\r\n", "x=1;",
    ]

    /// Returns messages that differ from these in one to three positions, the same in each run.
    private static func likeThese(_ seeds: [String], _ count: Int) -> [[UInt8]] {
        var random = Random(seed: 88)
        return (0..<count).map { number in
            var bytes = Array(seeds[number % seeds.count].utf8)
            for _ in 0..<(number < seeds.count ? 0 : 1 + random.below(3)) {
                let start = random.below(bytes.count + 1)
                switch random.below(3) {
                case 0: bytes.insert(contentsOf: random.pick(pieces).utf8, at: start)
                case 1: bytes.removeSubrange(start..<min(start + 1 + random.below(3), bytes.count))
                default:
                    let end = min(start + 1, bytes.count)
                    bytes.replaceSubrange(start..<end, with: random.pick(pieces).utf8)
                }
            }
            return bytes
        }
    }

    private static func hex(_ bytes: Span<UInt8>) -> String {
        let digits = Array("0123456789abcdef".unicodeScalars)
        var text = String.UnicodeScalarView()
        for index in bytes.indices {
            text.append(digits[Int(bytes[index] >> 4)])
            text.append(digits[Int(bytes[index] & 15)])
        }
        return String(text)
    }

    private static func lines(_ fields: FieldSection) -> [UInt8] {
        var lines: [UInt8] = []
        for position in fields.indices {
            lines += Array(copying: fields.name(at: position)).map(\.asciiLowercased)
            lines += [.ascii(":")] + Array(copying: fields.value(at: position)) + [0x0A]
        }
        return lines
    }

    /// Returns content and trailers, if the body is complete.
    private static func body(
        _ bytes: Span<UInt8>,
        _ framing: BodyFraming
    ) -> (content: [UInt8], trailers: FieldSection)? {
        var decoder = BodyDecoder(framing, .request)
        var content: [UInt8] = []
        var position = 0
        while true {
            let rest = bytes.extracting(position..<bytes.count)
            guard let part = try? decoder.next(rest) else { return nil }
            content.append(copying: rest.extracting(part.content))
            position += part.consumed
            if part.state != .more { break }
        }
        guard decoder.isEnded || framing == .untilClose else { return nil }
        return (content, decoder.trailers)
    }

    /// Returns the line for a request that is accepted.
    private static func line(request bytes: [UInt8]) -> String? {
        var parser = RequestParser()
        guard let head = try? parser.parse(bytes.span),
            let body = body(bytes.span.extracting(head.byteCount..<bytes.count), head.framing)
        else { return nil }
        let authority = head.isVersion10 ? ByteString() : head.request.authority
        return [
            hex(bytes.span), hex(head.request.method.span), hex(head.request.target.span),
            hex(authority.span), hex(body.content.span), hex(lines(body.trailers).span),
            hex(lines(head.request.fields).span),
        ].joined(separator: " ")
    }

    /// Returns the line for the written form of an accepted request, in which others have to read
    /// the method, the authority and the body of that request; `nil` if it is not forwarded.
    private static func line(writing bytes: [UInt8]) -> String? {
        var parser = RequestParser()
        guard let head = try? parser.parse(bytes.span),
            let body = body(bytes.span.extracting(head.byteCount..<bytes.count), head.framing)
        else { return nil }
        let request = head.request
        let isConnect = request.method == "CONNECT"
        let writing = RequestWriting(
            form: isConnect ? .authority : head.form == .asterisk ? .asterisk : .origin,
            framing: head.framing,
            host: head.form == .absolute ? request.authority : nil,
            via: "tapline"
        )
        var written: [UInt8] = []
        guard (try? HeadWriter.append(request, writing, to: &written)) != nil else { return nil }
        if head.framing == .chunked {
            if !body.content.isEmpty {
                ChunkWriter.appendStart(body.content.count, to: &written)
                written += body.content
                ChunkWriter.appendEnd(to: &written)
            }
            let isWritten: Void? = try? ChunkWriter.appendLast(
                trailers: body.trailers,
                to: &written
            )
            guard isWritten != nil else { return nil }
        } else {
            written += body.content
        }
        guard let whole = line(request: written) else {
            return "not readable: \(hex(written.span))"
        }
        var fields = whole.split(separator: " ", omittingEmptySubsequences: false)
        let isOld = head.isVersion10
        fields[1] = Substring(hex(request.method.span))
        if !isOld { fields[3] = Substring(hex(request.authority.span)) }
        fields[4] = Substring(hex(body.content.span))
        return fields.joined(separator: " ")
    }

    /// Returns the line for a final response that is accepted.
    private static func line(response bytes: [UInt8], to method: String) -> String? {
        var parser = ResponseParser()
        let kind = RequestKind(method: ByteString(method))
        guard let head = try? parser.parse(bytes.span, answering: kind), !head.isInterim,
            let body = body(bytes.span.extracting(head.byteCount..<bytes.count), head.framing)
        else { return nil }
        let status = String(head.response.status)
        return [
            hex(bytes.span), hex(method.utf8.span), hex(status.utf8.span), "",
            hex(body.content.span), hex(lines(body.trailers).span),
            hex(lines(head.response.fields).span),
        ].joined(separator: " ")
    }

    @Test func peersReadTheSameMessages() throws {
        let folder = try TemporaryFolder()
        let requests = Self.likeThese(Self.requests, 12_000).compactMap(Self.line(request:))
        let responses = Self.likeThese(Self.responses, 6000).enumerated().compactMap {
            Self.line(response: $1, to: $0 % 5 == 4 ? "HEAD" : "GET")
        }
        let written = Self.likeThese(Self.requests, 12_000).compactMap(Self.line(writing:))
        #expect(requests.count > 1000 && responses.count > 1000 && written.count > 1000)
        #expect(written.first { $0.hasPrefix("not readable") } == nil)
        for (name, lines) in ["requests": requests, "responses": responses, "written": written] {
            try folder.write(lines.map { $0 + "\n" }.joined(), to: name)
        }
        let script = "\(TestFiles.repository)/Tests/Scripts/http-peers"
        let log = folder("log")
        let status = unsafe system("timeout 300 '\(script)' '\(folder.path)' >'\(log)' 2>&1")
        let output = try folder.read("log").prefix(6000)
        #expect(status == 0, "\(output)")
    }
}
