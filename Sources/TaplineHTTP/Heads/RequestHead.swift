// SPDX-License-Identifier: MIT

public import TaplineModel

/// The head of a request as it was received, and what it means for the connection.
@frozen
public struct RequestHead: Sendable {
    /// The request: method, target, scheme, authority, version and fields; no body yet.
    ///
    /// The target is as sent. Scheme and authority are those of the target where it names them
    /// (RFC 9112 §3.2.2: it overrules Host), else the connection's scheme and the Host field.
    public var request: Request
    /// The form of the target.
    public var form: TargetForm
    /// How the body is framed; `untilClose` never occurs.
    public var framing: BodyFraming
    /// The bytes of the request line with its line end, and of an empty line before it.
    public var lineBytes: Int
    /// The bytes of the field lines and of the empty line after them.
    public var headerBytes: Int
    /// Whether the version is HTTP/1.0: no chunks, no interim responses, no upgrade.
    public var isVersion10: Bool
    /// Whether the client lets the connection carry another request (RFC 9112 §9.3).
    ///
    /// A forward proxy keeps none open to a client of HTTP/1.0, whatever it asks for.
    public var keepsAlive: Bool
    /// What the Connection fields list.
    public var connection: ConnectionOptions
    /// Whether the client waits for 100 before it sends the body (RFC 9110 §10.1.1).
    public var expectsContinue: Bool
    /// Whether the client asks for another protocol by Upgrade (RFC 9110 §7.8).
    public var asksUpgrade: Bool
    /// Whether Host names another server than the target, if that names one.
    ///
    /// RFC 9112 §3.2 asks clients to send the same; §3.2.2 has the target overrule Host.
    public var namesOtherHost: Bool
    /// Whether there is a Via field (RFC 9110 §7.6.3).
    public var hasVia: Bool
    /// Whether there is a Proxy-Authorization field (RFC 9110 §11.7.2).
    public var hasProxyAuthorization: Bool
    /// What the parser of the response has to know.
    public var kind: RequestKind

    /// How many bytes the head has.
    @inlinable
    public var byteCount: Int { lineBytes + headerBytes }

    @usableFromInline
    init(request: consuming Request, form: TargetForm, lineBytes: Int, headerBytes: Int) {
        self.request = request
        self.form = form
        self.lineBytes = lineBytes
        self.headerBytes = headerBytes
        framing = .none
        isVersion10 = false
        keepsAlive = false
        connection = []
        expectsContinue = false
        asksUpgrade = false
        namesOtherHost = false
        hasVia = false
        hasProxyAuthorization = false
        kind = RequestKind()
    }
}

/// What of a request decides how its response is framed (RFC 9112 §6.3).
@frozen
public struct RequestKind: Sendable, Equatable {
    /// HEAD: the response has no body.
    public var isHead: Bool
    /// CONNECT: a response of 2xx makes a tunnel.
    public var isConnect: Bool
    /// The request asks for an upgrade: 101 is allowed.
    public var asksUpgrade: Bool

    /// A request of any other method.
    @inlinable
    public init(isHead: Bool = false, isConnect: Bool = false, asksUpgrade: Bool = false) {
        self.isHead = isHead
        self.isConnect = isConnect
        self.asksUpgrade = asksUpgrade
    }

    /// The kind of a request of this method; methods are case-sensitive (RFC 9110 §9.1).
    public init(method: ByteString, asksUpgrade: Bool = false) {
        self.init(
            isHead: method.span.isExactly("HEAD"),
            isConnect: method.span.isExactly("CONNECT"),
            asksUpgrade: asksUpgrade
        )
    }
}
