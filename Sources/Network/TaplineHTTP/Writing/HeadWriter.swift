// SPDX-License-Identifier: MIT

public import TaplineModel

/// How the head of a forwarded request is written, in addition to the request's own fields.
@frozen @usableFromInline
package struct RequestWriting: Sendable, Equatable {
    /// The form of the target to write, whatever form the request has.
    @usableFromInline package var form: TargetForm
    /// How the body to be sent is framed; `untilClose` is refused.
    @usableFromInline package var framing: BodyFraming
    /// The value of the Host field; `nil` for the request's own field, or its authority if it has
    /// no Host.
    ///
    /// RFC 9112 §3.2.2: a proxy replaces Host with the authority of an absolute-form target.
    @usableFromInline package var host: ByteString?
    /// The content of the Connection field.
    @usableFromInline package var connection: ConnectionWriting
    /// The name to append to Via; `nil` for none (RFC 9110 §7.6.3).
    @usableFromInline package var via: ByteString?
    /// The credentials for the next proxy, as the whole value of Proxy-Authorization.
    ///
    /// The client's credentials are for this proxy and are always omitted (RFC 9110 §11.7.2).
    @usableFromInline package var proxyAuthorization: ByteString?

    /// Makes options; by default origin-form, on a connection that stays open, with the request's
    /// Host.
    @inlinable
    package init(
        form: TargetForm = .origin,
        framing: BodyFraming = .none,
        host: ByteString? = nil,
        connection: ConnectionWriting = .persist,
        via: ByteString? = nil,
        proxyAuthorization: ByteString? = nil
    ) {
        self.form = form
        self.framing = framing
        self.host = host
        self.connection = connection
        self.via = via
        self.proxyAuthorization = proxyAuthorization
    }
}

/// How the head of a forwarded response is written, in addition to the response's own fields.
@frozen @usableFromInline
package struct ResponseWriting: Sendable, Equatable {
    /// How the body to be sent is framed.
    @usableFromInline package var framing: BodyFraming
    /// Whether a body must not follow, whatever the fields say.
    ///
    /// Content-Length then stays, since it describes the body that GET would return (RFC 9110
    /// §8.6).
    @usableFromInline package var answersHead: Bool
    /// Whether the response opens a tunnel: 101, or 2xx to CONNECT.
    @usableFromInline package var becomesTunnel: Bool
    /// The content of the Connection field.
    @usableFromInline package var connection: ConnectionWriting
    /// The name to append to Via; `nil` for none (RFC 9110 §7.6.3).
    @usableFromInline package var via: ByteString?

    /// Makes options for a response with this body, on a connection that stays open.
    @inlinable
    package init(
        framing: BodyFraming = .none,
        answersHead: Bool = false,
        becomesTunnel: Bool = false,
        connection: ConnectionWriting = .persist,
        via: ByteString? = nil
    ) {
        self.framing = framing
        self.answersHead = answersHead
        self.becomesTunnel = becomesTunnel
        self.connection = connection
        self.via = via
    }
}

/// The connection options of a written head (RFC 9112 §9).
@frozen
@usableFromInline package enum ConnectionWriting: UInt8, Sendable, Equatable {
    /// No field: HTTP/1.1 stays open.
    case persist
    /// `keep-alive`, for an HTTP/1.0 client that requested it.
    case keepAlive
    /// `close`.
    case close
    /// `upgrade`; the message's own Upgrade field is included.
    case upgrade
}

/// Writes heads that can be read in one way only, whatever a script has put into the message.
///
/// **Shape**: fields keep their order, names keep their case. Fields of the connection (RFC 9110
/// §7.6.1) are omitted: Connection and the fields that it lists, Keep-Alive, Proxy-Connection,
/// Proxy-Authorization of requests, Transfer-Encoding, Content-Length, Upgrade unless upgrading, TE
/// except `trailers`. Only the writer writes Host, Connection and the framing fields. The version
/// is HTTP/1.1.
///
/// **Throws**: an error if a name, a value, the method, the target or the reason would break the
/// message, or parts contradict each other. The output is then unchanged.
///
/// **Source**: RFC 9112 §3 to §6, RFC 9110 §7.6.
@usableFromInline package enum HeadWriter {
    /// Appends the head of a request.
    @usableFromInline package static func append(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        var request = copy request
        try request.appendHead(writing, to: &output)
    }

    /// Appends the head of a response, which may be interim.
    @usableFromInline package static func append(
        _ response: borrowing Response,
        _ writing: ResponseWriting,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        var response = copy response
        try response.appendHead(writing, to: &output)
    }

    /// Appends an interim response (RFC 9110 §15.2).
    @usableFromInline package static func append(
        _ interim: InterimResponse,
        via: ByteString? = nil,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        guard 100..<200 ~= interim.status, interim.status != 101 else {
            throw HTTPError(.conflictingFraming, .response)
        }
        let response = Response(
            status: interim.status,
            reason: interim.reason,
            fields: interim.fields
        )
        try append(response, ResponseWriting(via: via), to: &output)
    }

    /// Returns the maximum size of the head of a request.
    package static func maximumSize(
        of request: borrowing Request,
        _ writing: RequestWriting
    ) -> Int {
        var size = request.method.count + request.target.count + request.scheme.count
        size += 2 * request.authority.count + request.fields.byteCount + 4 * request.fields.count
        size += (writing.host?.count ?? 0) + (writing.via?.count ?? 0)
        return size + (writing.proxyAuthorization?.count ?? 0) + 256
    }

    /// Returns the maximum size of the head of a response.
    package static func maximumSize(
        of response: borrowing Response,
        _ writing: ResponseWriting
    ) -> Int {
        response.reason.count + response.fields.byteCount + 4 * response.fields.count
            + (writing.via?.count ?? 0) + 256
    }

    /// Writes the head of a request.
    ///
    /// The span needs room for `maximumSize` bytes.
    @_lifetime(output: copy output)
    package static func write(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        var request = copy request
        try request.writeHead(writing, into: &output)
    }

    /// Writes the head of a response.
    ///
    /// The span needs room for `maximumSize` bytes.
    @_lifetime(output: copy output)
    package static func write(
        _ response: borrowing Response,
        _ writing: ResponseWriting,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        var response = copy response
        try response.writeHead(writing, into: &output)
    }
}

extension Request {
    /// Appends the head, as described for `HeadWriter`.
    ///
    /// Mutating, so that the request is lent in place. Otherwise an owner that stores it in a class
    /// would copy it and retain each of its parts. The request is not changed.
    package mutating func appendHead(
        _ writing: RequestWriting,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        let start = output.count
        do throws(HTTPError) {
            try output.append(addingCapacity: HeadWriter.maximumSize(of: self, writing)) {
                (span: inout OutputSpan<UInt8>) throws(HTTPError) in
                try writeHead(writing, into: &span)
            }
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    /// Writes the head, if there is room for it.
    ///
    /// Mutating, since the calling closure would otherwise get a copy.
    @_lifetime(output: copy output)
    fileprivate mutating func writeHead(
        _ writing: borrowing RequestWriting,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        let method = self.method.span
        guard !method.isEmpty, method.endOfToken(from: 0) == method.count else {
            throw HTTPError(.invalidMethod, .request)
        }
        output.append(copying: method)
        output.append(0x20)
        try HeadWriter.writeTarget(self, writing.form, into: &output)
        output.append(" HTTP/1.1\r\n")
        var rules = FieldRules(.request, fields, writing.connection)
        if let host = writing.host { try rules.replaceHost(host.span, into: &output) }
        try rules.write(fields, into: &output)
        if !rules.hasHost {
            try rules.replaceHost(authority.span, into: &output)
        }
        // RFC 9110 §9.3.6: CONNECT has no content.
        if writing.form == .authority, writing.framing.hasBody {
            throw HTTPError(.bodyOfConnect, .request)
        }
        switch writing.framing {
        case .none: break
        case .length(let length): try FieldRules.writeLength(length, .request, into: &output)
        case .chunked: FieldRules.writeChunked(into: &output)
        // RFC 9112 §6.3, item 7: a request without a length has no body.
        case .untilClose: throw HTTPError(.conflictingFraming, .request)
        }
        try rules.writeVia(version, writing.via, into: &output)
        try rules.writeValue("Proxy-Authorization: ", writing.proxyAuthorization, into: &output)
        rules.writeConnection(into: &output)
        output.append("\r\n")
    }
}

extension Response {
    /// Appends the head, as described for `HeadWriter`.
    ///
    /// Mutating, so that the response is lent in place. Otherwise an owner that stores it in a
    /// class would copy it and retain each of its parts. The response is not changed.
    package mutating func appendHead(
        _ writing: ResponseWriting,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        let start = output.count
        do throws(HTTPError) {
            try output.append(addingCapacity: HeadWriter.maximumSize(of: self, writing)) {
                (span: inout OutputSpan<UInt8>) throws(HTTPError) in
                try writeHead(writing, into: &span)
            }
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    /// Writes the head, if there is room for it.
    ///
    /// Mutating, since the calling closure would otherwise get a copy.
    @_lifetime(output: copy output)
    fileprivate mutating func writeHead(
        _ writing: borrowing ResponseWriting,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        guard 100...999 ~= status else { throw HTTPError(.malformedStatusLine, .response) }
        let reason = self.reason.span
        guard reason.endOfText(from: 0) == reason.count else {
            throw HTTPError(.malformedStatusLine, .response)
        }
        output.append("HTTP/1.1 ")
        output.appendDecimal(status)
        output.append(0x20)
        if reason.isEmpty, version.span.isExactly("HTTP/2") {
            // HTTP/2 has no reasons, and some clients of HTTP/1.1 need one.
            output.append(Response.registeredReason(of: status))
        } else {
            output.append(copying: reason)
        }
        output.append("\r\n")
        let hasNoBody =
            writing.becomesTunnel
            || !Response.allowsContent(status, isHead: writing.answersHead)
        // RFC 9112 §6.3, item 1: these end with their head, whatever the fields say.
        if hasNoBody, writing.framing.hasBody { throw HTTPError(.conflictingFraming, .response) }
        var rules = FieldRules(.response, fields, writing.connection)
        // RFC 9110 §8.6: Content-Length of HEAD and 304 describes a body that is not sent.
        rules.keepsLength = hasNoBody && (writing.answersHead || status == 304)
        try rules.write(fields, into: &output)
        switch writing.framing {
        case .none:
            // Without a length the client would wait for the end of the connection.
            if !hasNoBody { try FieldRules.writeLength(0, .response, into: &output) }
        case .length(let length):
            if !hasNoBody { try FieldRules.writeLength(length, .response, into: &output) }
        case .chunked: FieldRules.writeChunked(into: &output)
        case .untilClose:
            guard writing.connection == .close else {
                throw HTTPError(.conflictingFraming, .response)
            }
        }
        try rules.writeVia(version, writing.via, into: &output)
        rules.writeConnection(into: &output)
        output.append("\r\n")
    }
}
