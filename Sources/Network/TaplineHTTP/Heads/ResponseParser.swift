// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Parses the heads of responses in a connection's receive buffer, in any pieces.
///
/// ```
/// status line ──▶ field lines ──▶ head, and then the next response
/// ```
///
/// **Shape**: each call gets all bytes of the buffer that belong to no message yet: those of the
/// previous call, and any new ones. Nothing is consumed until the head is complete. It then takes
/// `byteCount` bytes. After an error the parser cannot continue: close the connection.
///
/// **Isolation**: one connection, one thread at a time.
///
/// **Source**: RFC 9112 §2, §4, §5, §6.
package struct ResponseParser: ~Copyable {
    /// The limits beyond which a head is refused.
    package var limits: HTTPLimits

    private var lines = HeadLines(.response)
    private var status = 0
    private var reason = 0..<0
    private var lineBytes = 0
    private var version = HTTPVersion.http11
    private let version10: ByteString = "HTTP/1.0"
    private let version11: ByteString = "HTTP/1.1"

    /// Makes a parser for one connection.
    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Parses the next head.
    ///
    /// - Parameters:
    ///   - bytes: The receive buffer, from the first byte of the response on.
    ///   - request: The request of the response; the same in each call for a head.
    /// - Returns: The head; `nil` if it is incomplete.
    /// - Throws: Why the response is refused; send the client 502 and close.
    package mutating func parse(
        _ bytes: Span<UInt8>,
        answering request: RequestKind
    ) throws(HTTPError) -> ResponseHead? {
        reading: while lines.mayRead(bytes) {
            guard lines.isStartLineRead else {
                if try readLine(bytes) { continue }
                break
            }
            switch try lines.read(bytes, atMost: limits.fields) {
            case .incomplete: break reading
            case .excess: throw HTTPError(.tooManyFields, .response, at: lines.next)
            case .end:
                try lines.check(lines.next, limits)
                let head = try makeHead(bytes, request)
                lines.removeAll()
                return head
            }
        }
        try lines.check(bytes.count, limits)
        return nil
    }

    /// Reads the status line.
    ///
    /// Returns whether it was complete.
    ///
    /// RFC 9112 §4: version SP three digits SP reason CRLF. If there is no reason, the second space
    /// may be missing, since many servers omit it.
    private mutating func readLine(_ bytes: Span<UInt8>) throws(HTTPError) -> Bool {
        let read = try HTTPVersion.read(bytes, at: 0, .response)
        guard let read, bytes.count > 12 else { return incomplete(bytes) }
        let digits = bytes.extracting(9..<12).decimal
        guard bytes[8] == 0x20, let digits, digits >= 100 else {
            throw HTTPError(.malformedStatusLine, .response, at: 8)
        }
        var end = 12
        if bytes[12] == 0x20 { end = bytes.endOfText(from: 13) }
        let next = try lines.lineEnd(bytes, at: end, else: .malformedStatusLine)
        guard let next else { return incomplete(bytes) }
        try lines.check(startLine: next, limits)
        version = read
        status = digits
        reason = Swift.min(13, end)..<end
        lineBytes = next
        lines.next = next
        lines.isStartLineRead = true
        return true
    }

    private mutating func incomplete(_ bytes: Span<UInt8>) -> Bool {
        _ = lines.wait(bytes)
        return false
    }

    /// Makes the head after all of its lines were read.
    private func makeHead(
        _ bytes: Span<UInt8>,
        _ request: RequestKind
    ) throws(HTTPError) -> ResponseHead {
        let fields = lines.fields(of: bytes)
        let framingFields = try FramingFields(fields, .response)
        // RFC 9112 §6.1: Transfer-Encoding in HTTP/1.0 is invalid framing.
        if version == .http10, framingFields.hasTransferEncoding {
            throw HTTPError(.codingInOldVersion, .response, at: lineBytes)
        }
        // RFC 9110 §15.2.2: the server may switch only to a protocol that the client requested.
        if status == 101, !request.asksUpgrade {
            throw HTTPError(.unexpectedUpgrade, .response)
        }
        let response = Response(
            status: status,
            reason: ByteString(bytes.extracting(reason)),
            version: version == .http11 ? version11 : version10,
            fields: fields
        )
        var head = ResponseHead(
            response: consume response,
            lineBytes: lineBytes,
            headerBytes: lines.next - lineBytes
        )
        head.becomesTunnel = status == 101 || (request.isConnect && 200..<300 ~= status)
        head.framing = framing(framingFields, request, head.becomesTunnel)
        head.isVersion10 = version == .http10
        head.connection = framingFields.connection
        head.keepsAlive =
            framingFields.keepsAlive(version) && head.framing != .untilClose && !head.becomesTunnel
        return head
    }

    /// Determines the framing by RFC 9112 §6.3, items 1, 2, 4, 6 and 8, in this order.
    private func framing(
        _ framingFields: FramingFields,
        _ request: RequestKind,
        _ becomesTunnel: Bool
    ) -> BodyFraming {
        if becomesTunnel || !Response.allowsContent(status, isHead: request.isHead) {
            return .none
        }
        if framingFields.isChunked { return .chunked }
        if let length = framingFields.contentLength { return .length(length) }
        return .untilClose
    }
}
