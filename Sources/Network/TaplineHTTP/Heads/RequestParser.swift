// SPDX-License-Identifier: MIT

package import TaplineModel

/// Parses the heads of requests in a connection's receive buffer, in any pieces.
///
/// ```
/// empty line? ──▶ request line ──▶ field lines ──▶ head, and then the next request
/// ```
///
/// **Shape**: each call gets all bytes of the buffer that belong to no message yet: those of the
/// previous call, and any new ones. Nothing is consumed until the head is complete. It then takes
/// `byteCount` bytes. After an error the parser cannot continue: close the connection.
///
/// **Isolation**: one connection, one thread at a time.
///
/// **Source**: RFC 9112 §2, §3, §5, §6.
package struct RequestParser: ~Copyable {
    /// The limits beyond which a head is refused.
    package var limits: HTTPLimits
    /// The scheme of requests whose target has none: `http`, or `https` within TLS.
    package var scheme: ByteString

    private var lines = HeadLines(.request)
    private var method = 0..<0
    private var target = 0..<0
    private var lineBytes = 0
    private var version = HTTPVersion.http11
    private let version10: ByteString = "HTTP/1.0"
    private let version11: ByteString = "HTTP/1.1"

    /// Makes a parser for one connection.
    package init(limits: HTTPLimits = HTTPLimits(), scheme: ByteString = "http") {
        self.limits = limits
        self.scheme = scheme
    }

    /// Parses the next head.
    ///
    /// - Parameter bytes: The receive buffer, from the first byte of the request on.
    /// - Returns: The head; `nil` if it is incomplete.
    /// - Throws: Why the request is refused; respond with the error's status and close.
    package mutating func parse(_ bytes: Span<UInt8>) throws(HTTPError) -> RequestHead? {
        reading: while lines.mayRead(bytes) {
            guard lines.isStartLineRead else {
                if try readLine(bytes) { continue }
                break
            }
            switch try lines.read(bytes, atMost: limits.fields) {
            case .incomplete: break reading
            case .excess: throw HTTPError(.tooManyFields, .request, at: lines.next)
            case .end:
                try lines.check(lines.next, limits)
                let head = try makeHead(bytes)
                lines.removeAll()
                return head
            }
        }
        try lines.check(bytes.count, limits)
        return nil
    }

    /// Reads the request line, or the empty line before it.
    ///
    /// Returns whether it was complete.
    private mutating func readLine(_ bytes: Span<UInt8>) throws(HTTPError) -> Bool {
        let start = lines.next
        // RFC 9112 §2.2: one empty line before the request line is ignored. Old clients send it
        // after the body of the previous request.
        if bytes[start] == 0x0D || bytes[start] == 0x0A {
            guard start == 0 else { throw HTTPError(.malformedRequestLine, .request, at: start) }
            let end = try lines.lineEnd(bytes, at: start, else: .malformedRequestLine)
            guard let end else { return incomplete(bytes) }
            lines.next = end
            return true
        }
        // RFC 9112 §3: method SP target SP version CRLF, without any other space.
        let afterMethod = bytes.endOfToken(from: start)
        guard afterMethod < bytes.count else { return incomplete(bytes) }
        guard bytes[afterMethod] == 0x20, afterMethod > start else {
            let isBlank = bytes[afterMethod] == 0x20
            throw HTTPError(
                isBlank ? .malformedRequestLine : .invalidMethod,
                .request,
                at: afterMethod
            )
        }
        let afterTarget = bytes.endOfTarget(from: afterMethod + 1)
        guard afterTarget < bytes.count else { return incomplete(bytes) }
        guard bytes[afterTarget] == 0x20, afterTarget > afterMethod + 1 else {
            // A line that ends here is an HTTP/0.9 request, or one with an extra space.
            let isMissing = bytes[afterTarget] == 0x0D || bytes[afterTarget] == 0x20
            throw HTTPError(
                isMissing ? .malformedRequestLine : .invalidTarget,
                .request,
                at: afterTarget
            )
        }
        let read = try HTTPVersion.read(bytes, at: afterTarget + 1, .request)
        guard let read else { return incomplete(bytes) }
        let end = try lines.lineEnd(
            bytes,
            at: afterTarget + 9,
            else: .malformedRequestLine
        )
        guard let end else { return incomplete(bytes) }
        try lines.check(startLine: end, limits)
        version = read
        method = start..<afterMethod
        target = afterMethod + 1..<afterTarget
        lineBytes = end
        lines.next = end
        lines.isStartLineRead = true
        return true
    }

    private mutating func incomplete(_ bytes: Span<UInt8>) -> Bool {
        _ = lines.wait(bytes)
        return false
    }

    /// Makes the head after all of its lines were read.
    private func makeHead(_ bytes: Span<UInt8>) throws(HTTPError) -> RequestHead {
        let fields = lines.fields(of: bytes)
        let framingFields = try FramingFields(fields, .request)
        let method = bytes.extracting(method)
        let target = bytes.extracting(target)
        let form = TargetForm(
            target,
            isConnect: method.isExactly("CONNECT"),
            isOptions: method.isExactly("OPTIONS")
        )
        guard let form else {
            throw HTTPError(.invalidTargetForm, .request, at: self.target.lowerBound)
        }
        var request = Request(
            method: ByteString(method),
            target: ByteString(target),
            scheme: scheme,
            version: version == .http11 ? version11 : version10,
            fields: fields
        )
        let namesOtherHost = try setAuthority(of: &request, form, target, framingFields)
        var head = RequestHead(
            request: consume request,
            form: form,
            lineBytes: lineBytes,
            headerBytes: lines.next - lineBytes
        )
        head.namesOtherHost = namesOtherHost
        try fill(&head, framingFields)
        return head
    }

    private func fill(_ head: inout RequestHead, _ framingFields: FramingFields) throws(HTTPError) {
        // RFC 9112 §6.1: Transfer-Encoding in HTTP/1.0 is invalid framing.
        if version == .http10, framingFields.hasTransferEncoding {
            throw HTTPError(.codingInOldVersion, .request, at: lineBytes)
        }
        // RFC 9112 §6.3, items 4 to 7: a request without a length and without chunks has no body.
        if framingFields.isChunked {
            head.framing = .chunked
        } else if let length = framingFields.contentLength {
            head.framing = .length(length)
        }
        // RFC 9110 §9.3.6: CONNECT has no content. Other readers would treat such a body as the
        // first tunnel data.
        if head.form == .authority, head.framing.hasBody {
            throw HTTPError(.bodyOfConnect, .request, at: lineBytes)
        }
        head.isVersion10 = version == .http10
        head.keepsAlive = framingFields.keepsAlive(version)
        head.connection = framingFields.connection
        head.hasVia = framingFields.hasVia
        head.hasProxyAuthorization = framingFields.hasProxyAuthorization
        // RFC 9110 §10.1.1 and §7.8: both are ignored in HTTP/1.0.
        head.expectsContinue =
            version == .http11 && framingFields.expectsContinue && head.framing.hasBody
        head.asksUpgrade =
            version == .http11 && framingFields.hasUpgrade
            && framingFields.connection.contains(.upgrade)
        head.kind = RequestKind(method: head.request.method, asksUpgrade: head.asksUpgrade)
    }

    /// Sets scheme and authority from the target, otherwise from Host (RFC 9112 §3.3).
    ///
    /// Returns whether both are present and name different servers.
    private func setAuthority(
        of request: inout Request,
        _ form: TargetForm,
        _ target: Span<UInt8>,
        _ framingFields: FramingFields
    ) throws(HTTPError) -> Bool {
        // RFC 9112 §3.2: 400 for an HTTP/1.1 request without Host, whatever its target.
        if framingFields.host == nil, version == .http11 {
            throw HTTPError(.missingHost, .request, at: lineBytes)
        }
        if let host = framingFields.host {
            let fields = request.fields
            let value = fields.value(at: host)
            // RFC 9112 §3.2: 400 for an invalid value. It may be empty if the target has no
            // authority, or its own.
            let mayBeEmpty = form == .absolute || form == .authority
            guard Authority(value) != nil || (value.isEmpty && mayBeEmpty) else {
                throw HTTPError(.invalidHost, .request, at: lineBytes)
            }
            request.authority = ByteString(value)
        }
        switch form {
        case .origin, .asterisk: return false
        case .authority: return overruleHost(of: &request, by: target, defaultPort: nil)
        case .absolute:
            guard let parts = URLParts(target) else { return false }
            let authority = target.extracting(parts.hostPort)
            // RFC 9110 §4.2.1 and §4.2.4: an empty host and user-info are errors.
            let beforeHost = parts.scheme.upperBound + 3
            guard parts.hostPort.lowerBound == beforeHost, Authority(authority) != nil else {
                throw HTTPError(.invalidAuthority, .request, at: self.target.lowerBound)
            }
            let scheme = target.extracting(parts.scheme)
            request.scheme = ByteString(scheme)
            let port = Authority.defaultPort(of: scheme)
            return overruleHost(of: &request, by: authority, defaultPort: port)
        }
    }

    /// Replaces Host's authority with the target's.
    ///
    /// Returns whether Host names another server.
    private func overruleHost(
        of request: inout Request,
        by authority: Span<UInt8>,
        defaultPort: Int?
    ) -> Bool {
        // Usually they are equal, and the authority can stay.
        if request.authority.span.equals(authority) { return false }
        let isOther =
            !request.authority.isEmpty
            && !Authority.areSame(request.authority.span, authority, defaultPort: defaultPort)
        request.authority = ByteString(authority)
        return isOther
    }
}

extension HTTPVersion {
    /// Reads the eight bytes of a version; `nil` if they have not all arrived.
    static func read(
        _ bytes: Span<UInt8>,
        at start: Int,
        _ side: HTTPError.Side
    ) throws(HTTPError) -> HTTPVersion? {
        // "HTTP/1.1" and "HTTP/1.0" as little-endian numbers.
        if bytes.holds(0x312E_312F_5054_5448, at: start) { return .http11 }
        if bytes.holds(0x302E_312F_5054_5448, at: start) { return .http10 }
        // RFC 9112 §2.3: `HTTP`, case-sensitive, slash, digit, dot, digit.
        let name = "HTTP/".utf8.span
        for index in start..<Swift.min(start + 8, bytes.count) {
            let byte = bytes[index]
            let isRight: Bool
            switch index - start {
            case 0..<5: isRight = byte == name[index - start]
            case 6: isRight = byte == .ascii(".")
            default: isRight = 0x30...0x39 ~= byte
            }
            if !isRight { throw HTTPError(.malformedVersion, side, at: index) }
        }
        guard start + 8 <= bytes.count else { return nil }
        // RFC 9110 §15.6.6: 505 for an unsupported major version. A later minor version of 1 does
        // not exist, and is refused too.
        throw HTTPError(.unsupportedVersion, side, at: start)
    }
}
