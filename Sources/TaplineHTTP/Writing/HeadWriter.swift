// SPDX-License-Identifier: MIT

public import TaplineModel

/// What the head of a forwarded request says beside the request's own fields.
@frozen
public struct RequestWriting: Sendable, Equatable {
    /// The form of the target that is written, whatever form the request has.
    public var form: TargetForm
    /// How the body that will be sent is framed; `untilClose` is refused.
    public var framing: BodyFraming
    /// What the Host field says, or nothing for the request's own field, and its authority where
    /// it has none.
    ///
    /// RFC 9112 §3.2.2: a proxy replaces Host by the authority of an absolute-form target.
    public var host: ByteString?
    /// What the Connection field says.
    public var connection: ConnectionWriting
    /// The name that is appended to Via, or nothing for none (RFC 9110 §7.6.3).
    public var via: ByteString?
    /// The credentials for the next proxy, as a whole value of Proxy-Authorization.
    ///
    /// Those of the client are for us and always left out (RFC 9110 §11.7.2).
    public var proxyAuthorization: ByteString?

    /// Origin-form to a server, on a connection that stays open, with the request's own Host.
    @inlinable
    public init(
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

/// What the head of a forwarded response says beside the response's own fields.
@frozen
public struct ResponseWriting: Sendable, Equatable {
    /// How the body that will be sent is framed.
    public var framing: BodyFraming
    /// Whether a body may not follow whatever the fields say: Content-Length then stays, as it
    /// tells of the body that GET would get (RFC 9110 §8.6).
    public var answersHead: Bool
    /// Whether the response opens a tunnel: 101, or 2xx to CONNECT.
    public var becomesTunnel: Bool
    /// What the Connection field says.
    public var connection: ConnectionWriting
    /// The name that is appended to Via, or nothing for none (RFC 9110 §7.6.3).
    public var via: ByteString?

    /// A response with that body, on a connection that stays open.
    @inlinable
    public init(
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

/// What a written head says of the connection (RFC 9112 §9).
@frozen
public enum ConnectionWriting: UInt8, Sendable, Equatable {
    /// Nothing: HTTP/1.1 stays open.
    case persist
    /// `keep-alive`, for a client of HTTP/1.0 that asked for it.
    case keepAlive
    /// `close`.
    case close
    /// `upgrade`; the message's own Upgrade field goes along.
    case upgrade
}

/// Writes heads that can be read in one way only, whatever a script put into the message.
///
/// **Shape**: fields in their order, names in their case. Fields that belong to the connection
/// (RFC 9110 §7.6.1) are left out: Connection and what it lists, Keep-Alive, Proxy-Connection,
/// Proxy-Authorization of requests, Transfer-Encoding, Content-Length, Upgrade unless upgrading,
/// TE except `trailers`. Host, Connection and the fields of framing are written by the writer
/// alone. The version is HTTP/1.1.
///
/// **Throws**: an error where a name, a value, the method, the target or the reason holds what would
/// break the message, or parts contradict each other. The output is then as it was before.
///
/// **Source**: RFC 9112 §3 to §6, RFC 9110 §7.6.
public enum HeadWriter {
    /// Appends the head of a request.
    public static func append(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        var request = copy request
        try request.appendHead(writing, to: &output)
    }

    /// Appends the head of a response; interim ones too.
    public static func append(
        _ response: borrowing Response,
        _ writing: ResponseWriting,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        var response = copy response
        try response.appendHead(writing, to: &output)
    }

    /// Appends an interim response (RFC 9110 §15.2).
    public static func append(
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

    /// The bytes that the head of a request takes at most.
    public static func maximumSize(
        of request: borrowing Request,
        _ writing: RequestWriting
    ) -> Int {
        var size = request.method.count + request.target.count + request.scheme.count
        size += 2 * request.authority.count + request.fields.byteCount + 4 * request.fields.count
        size += (writing.host?.count ?? 0) + (writing.via?.count ?? 0)
        return size + (writing.proxyAuthorization?.count ?? 0) + 256
    }

    /// The bytes that the head of a response takes at most.
    public static func maximumSize(
        of response: borrowing Response,
        _ writing: ResponseWriting
    ) -> Int {
        response.reason.count + response.fields.byteCount + 4 * response.fields.count
            + (writing.via?.count ?? 0) + 256
    }

    /// Writes the head of a request where there is room for `maximumSize` bytes.
    @_lifetime(output: copy output)
    public static func write(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        var request = copy request
        try request.writeHead(writing, into: &output)
    }

    /// Writes the head of a response where there is room for `maximumSize` bytes.
    @_lifetime(output: copy output)
    public static func write(
        _ response: borrowing Response,
        _ writing: ResponseWriting,
        into output: inout OutputSpan<UInt8>
    ) throws(HTTPError) {
        var response = copy response
        try response.writeHead(writing, into: &output)
    }
}

extension Request {
    /// Appends the head, as `HeadWriter` says.
    ///
    /// Mutating, so that it is lent where it is: who has it in a class would otherwise copy it, and
    /// count each of its parts. It stays as it was.
    public mutating func appendHead(
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

    /// Writes the head where there is room for it; mutating, since the closure that calls it would
    /// otherwise be given a copy.
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
    /// Appends the head, as `HeadWriter` says.
    ///
    /// Mutating, so that it is lent where it is: who has it in a class would otherwise copy it, and
    /// count each of its parts. It stays as it was.
    public mutating func appendHead(
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

    /// Writes the head where there is room for it; mutating, since the closure that calls it would
    /// otherwise be given a copy.
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
        output.append(copying: reason)
        output.append("\r\n")
        let hasNoBody =
            writing.becomesTunnel
            || !Response.allowsContent(status, isHead: writing.answersHead)
        // RFC 9112 §6.3, item 1: these end with their head, whatever the fields say.
        if hasNoBody, writing.framing.hasBody { throw HTTPError(.conflictingFraming, .response) }
        var rules = FieldRules(.response, fields, writing.connection)
        // RFC 9110 §8.6: Content-Length of HEAD and 304 tells of a body that is not sent.
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
