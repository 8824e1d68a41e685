// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel

/// A message as the bytes of HTTP/1.1 (RFC 9112 §2), from a recording.
///
/// Nothing is refused: lines that are not fields are counted, and content that does not have the
/// stated framing is kept as it is.
struct RecordedMessage {
    /// The request line or status line.
    let startLine: [UInt8]
    private(set) var fields = FieldSection()
    private(set) var trailers = FieldSection()
    private(set) var body = Body()
    /// Lines of the head that are not fields.
    private(set) var malformedLines = 0
    /// Whether the content is not in the chunks that the fields state.
    private(set) var hasMalformedChunks = false

    /// Splits a message.
    ///
    /// - Parameters:
    ///   - bytes: The whole message.
    ///   - side: Whether it is a request or a response.
    init(_ bytes: Span<UInt8>, _ side: HTTPError.Side) {
        var position = 0
        startLine = Array(copying: bytes.extracting(Self.line(bytes, &position)))
        var name: [UInt8] = []
        var value: [UInt8] = []
        while position < bytes.count {
            let line = bytes.extracting(Self.line(bytes, &position))
            if line.isEmpty { break }
            if line[0].isBlank, !name.isEmpty {
                // RFC 9112 §5.2: folding is a space.
                value.append(0x20)
                value.append(copying: line.extracting(line.trimmed(0..<line.count)))
                continue
            }
            if !name.isEmpty { fields.append(name: name.span, value: value.span) }
            name = []
            guard let colon = line.firstIndex(of: .ascii(":")), colon > 0 else {
                malformedLines += 1
                continue
            }
            name = Array(copying: line.extracting(0..<colon))
            value = Array(copying: line.extracting(line.trimmed(colon + 1..<line.count)))
        }
        if !name.isEmpty { fields.append(name: name.span, value: value.span) }
        readBody(bytes.extracting(position..<bytes.count), side)
    }

    /// The range of the line at a position, without its end; moves the position after it.
    private static func line(_ bytes: Span<UInt8>, _ position: inout Int) -> Range<Int> {
        let start = position
        let end = bytes.firstIndex(of: 0x0A, from: start) ?? bytes.count
        position = min(end + 1, bytes.count)
        return start..<(end > start && bytes[end - 1] == 0x0D ? end - 1 : end)
    }

    // MARK: Content

    private mutating func readBody(_ bytes: Span<UInt8>, _ side: HTTPError.Side) {
        var content = Array(copying: bytes)
        if isChunked {
            if let (decoded, trailers) = Self.unchunked(bytes, side) {
                content = decoded
                self.trailers = trailers
            } else {
                hasMalformedChunks = true
            }
        }
        let length = isChunked ? nil : fields.statedLength
        body = Body.received(content, fields)
        if let length, length > content.count, !content.isEmpty || side == .request {
            body.size = length
            body.isTruncated = true
        }
    }

    /// Whether the last transfer coding is chunked (RFC 9112 §6.3).
    private var isChunked: Bool {
        guard let value = fields.all("Transfer-Encoding").last else { return false }
        let start = value.span.lastIndex(of: .ascii(",")).map { $0 + 1 } ?? 0
        let last = value.span.trimmed(start..<value.count)
        return value.span.extracting(last).equalsIgnoringCase("chunked")
    }

    private static func unchunked(
        _ bytes: Span<UInt8>,
        _ side: HTTPError.Side
    ) -> ([UInt8], FieldSection)? {
        var decoder = BodyDecoder(.chunked, side)
        var content: [UInt8] = []
        var position = 0
        do throws(HTTPError) {
            while true {
                let rest = bytes.extracting(position..<bytes.count)
                let part = try decoder.next(rest)
                content.append(copying: rest.extracting(part.content))
                position += part.consumed
                switch part.state {
                case .more: if part.consumed == 0, part.content.isEmpty { return nil }
                case .needsBytes: return nil
                case .ended: return (content, decoder.trailers)
                }
            }
        } catch {
            return nil
        }
    }
}

extension FieldSection {
    /// The value of `Content-Length`; `nil` if there is none, or one of more than a pebibyte, as
    /// sums of sizes have to fit.
    var statedLength: Int? {
        first("Content-Length")?.span.decimal.flatMap { $0 <= 1 << 50 ? $0 : nil }
    }
}

extension Body {
    /// Content as it was received, coded as the fields state.
    static func received(_ bytes: [UInt8], _ fields: FieldSection) -> Body {
        guard !bytes.isEmpty else {
            return fields.contains("Content-Length") ? Body(bytes: [], size: 0) : Body()
        }
        var body = Body(bytes)
        let codings = fields.all("Content-Encoding").map(\.description)
            .joined(separator: ", ").lowercased()
        if codings != "identity" { body.coding = ByteString(codings) }
        return body
    }
}

// MARK: - Start lines

/// The parts of a request line (RFC 9112 §3), also of one without a version.
struct RequestLine {
    let method: ByteString
    let target: ByteString
    /// As in the line: `HTTP/1.1`; empty if there is none.
    let version: ByteString

    /// Creates a line of its parts.
    init(method: ByteString, target: ByteString, version: ByteString) {
        self.method = method
        self.target = target
        self.version = version
    }

    /// Splits a line; `nil` if it does not begin with a method and a target.
    init?(_ line: Span<UInt8>) {
        guard let first = line.firstIndex(of: 0x20), first > 0 else { return nil }
        for index in 0..<first where !line[index].isTokenByte { return nil }
        method = ByteString(line.extracting(0..<first))
        var end = line.count
        var found = ByteString()
        if let last = line.lastIndex(of: 0x20), last > first {
            let word = line.extracting(last + 1..<line.count)
            if word.starts(with: "HTTP/") {
                found = ByteString(word)
                end = last
            }
        }
        version = found
        target = ByteString(line.extracting(first + 1..<end))
        if target.isEmpty { return nil }
    }
}

extension Request {
    /// Creates a request of a request line and what follows it.
    ///
    /// Scheme and authority are those of an absolute-form target, or else `scheme` and the field
    /// `Host`.
    init(_ line: RequestLine, _ fields: FieldSection, scheme: ByteString) {
        self.init(
            method: line.method,
            target: line.target,
            scheme: scheme,
            version: line.version,
            fields: fields
        )
        if let parts = URLParts(target.span) {
            self.scheme = ByteString(target.span.extracting(parts.scheme))
            authority = ByteString(target.span.extracting(parts.hostPort))
        } else if method == "CONNECT" {
            authority = target
        } else if let host = fields.first("Host") {
            authority = Request.authority(host.span)
        }
    }

    /// Host and port of a text that states them, without what cannot be in this part of a URL.
    static func authority(_ text: Span<UInt8>) -> ByteString {
        var url = Array("http://".utf8)
        url.append(copying: text)
        guard let parts = URLParts(url.span) else { return ByteString() }
        return ByteString(url.span.extracting(parts.hostPort))
    }

    /// The scheme that a text states; `http` if it cannot be one.
    static func scheme(_ text: Span<UInt8>) -> ByteString {
        var url = Array(copying: text)
        url += "://x".utf8
        guard let parts = URLParts(url.span), parts.scheme.count == text.count else {
            return "http"
        }
        return ByteString(text)
    }
}
