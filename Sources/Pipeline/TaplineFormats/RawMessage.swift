// SPDX-License-Identifier: MIT

package import TaplineModel

/// A message as the bytes of HTTP/1.1 (RFC 9112 §2).
///
/// Fields and content are written as recorded. What HTTP/1.1 needs in addition is added: `Host`,
/// and the framing of content whose fields state none.
package struct RawMessage {
    /// The bytes.
    package private(set) var bytes: [UInt8] = []
    /// How the bytes differ from those that were sent, as far as it is known.
    package private(set) var notes: [String] = []
    private let name: String

    /// Writes a request.
    package init(_ request: Request) {
        name = "request"
        put(request.method)
        put(" ")
        put(request.target)
        put(" ")
        startVersion(request.version)
        put("\r\n")
        put(request.fields)
        if !request.fields.contains("Host"), !request.authority.isEmpty,
            request.version != "HTTP/1.0"
        {
            add("Host", request.authority)
        }
        content(request.body, request.fields, request.trailers, needsLength: true)
    }

    /// Writes a response, with the interim responses before it.
    package init(_ response: Response) {
        name = "response"
        for interim in response.interim {
            statusLine(response.version, interim.status, interim.reason)
            put(interim.fields)
            put("\r\n")
        }
        statusLine(response.version, response.status, response.reason)
        put(response.fields)
        // Without a length, the content ends with the connection (RFC 9112 §6.3).
        content(response.body, response.fields, response.trailers, needsLength: false)
    }

    // MARK: Heads

    private mutating func statusLine(_ version: ByteString, _ status: Int, _ reason: ByteString) {
        startVersion(version)
        put(" \(status) ")
        put(reason)
        put("\r\n")
    }

    private mutating func startVersion(_ version: ByteString) {
        if version == "HTTP/1.0" || version == "HTTP/1.1" {
            put(version)
            return
        }
        put("HTTP/1.1")
        if !version.isEmpty { note("was sent as \(TerminalText.plain(version.span))") }
    }

    private mutating func put(_ fields: FieldSection) {
        for position in fields.indices {
            bytes.append(copying: fields.name(at: position))
            put(": ")
            bytes.append(copying: fields.value(at: position))
            put("\r\n")
        }
    }

    private mutating func add(_ field: String, _ value: ByteString) {
        put("\(field): ")
        put(value)
        put("\r\n")
        note("gets a field '\(field)'")
    }

    // MARK: Content

    /// Ends the head and writes content and trailers.
    private mutating func content(
        _ body: Body,
        _ fields: FieldSection,
        _ trailers: FieldSection,
        needsLength: Bool
    ) {
        noteDifferences(body, fields)
        var isChunked = Self.isChunked(fields)
        let hasLength = fields.contains("Content-Length")
        if !isChunked, !trailers.isEmpty, !hasLength {
            add("Transfer-Encoding", "chunked")
            isChunked = true
        } else if !isChunked, !hasLength, needsLength, !body.bytes.isEmpty {
            add("Content-Length", ByteString("\(body.bytes.count)"))
        }
        put("\r\n")
        guard isChunked else {
            bytes += body.bytes
            if !trailers.isEmpty { note("has trailers, which its framing cannot carry") }
            return
        }
        // The recorded content is without chunks; where they began is unknown.
        if !body.bytes.isEmpty {
            put(String(body.bytes.count, radix: 16))
            put("\r\n")
            bytes += body.bytes
            put("\r\n")
        }
        put("0\r\n")
        put(trailers)
        put("\r\n")
    }

    private mutating func noteDifferences(_ body: Body, _ fields: FieldSection) {
        if body.isTruncated {
            note("has a body of which only the first \(body.bytes.count) bytes are kept")
        } else if body.bytes.isEmpty, let size = body.size, size > 0 {
            note("has a body that was not kept")
        }
        if !body.bytes.isEmpty, body.coding.isEmpty, fields.contains("Content-Encoding") {
            note("has a body that was recorded decoded, whatever 'Content-Encoding' states")
        }
    }

    /// Whether the last transfer coding is chunked (RFC 9112 §6.3).
    private static func isChunked(_ fields: FieldSection) -> Bool {
        var isChunked = false
        var start = 0
        while let position = fields.firstIndex(of: "Transfer-Encoding", from: start) {
            let value = fields.value(at: position)
            let first = value.lastIndex(of: .ascii(",")).map { $0 + 1 } ?? 0
            let last = value.extracting(value.trimmed(first..<value.count))
            isChunked = last.equalsIgnoringCase("chunked")
            start = position + 1
        }
        return isChunked
    }

    // MARK: Parts

    private mutating func note(_ words: String) { notes.append("the \(name) \(words)") }

    private mutating func put(_ text: String) { bytes.append(copying: text.utf8.span) }

    private mutating func put(_ text: ByteString) { bytes.append(copying: text.span) }
}
