// SPDX-License-Identifier: MIT

public import TaplineModel

/// The head of a request as it was received, and its meaning for the connection.
@frozen @usableFromInline
package struct RequestHead: Sendable {
    /// The request: method, target, scheme, authority, version and fields, without a body.
    ///
    /// The target is as sent. Scheme and authority come from the target if it has them (RFC 9112
    /// §3.2.2: it overrides Host), otherwise from the connection's scheme and the Host field.
    @usableFromInline package var request: Request
    /// The form of the target.
    @usableFromInline package var form: TargetForm
    /// How the body is framed; `untilClose` never occurs.
    @usableFromInline package var framing: BodyFraming
    /// The number of bytes of the request line with its line end, and of an empty line before it.
    @usableFromInline package var lineBytes: Int
    /// The number of bytes of the field lines and of the empty line after them.
    @usableFromInline package var headerBytes: Int
    /// Whether the version is HTTP/1.0: no chunks, no interim responses, no upgrade.
    @usableFromInline package var isVersion10: Bool
    /// Whether the client allows another request on the connection (RFC 9112 §9.3).
    ///
    /// A forward proxy keeps no connection to an HTTP/1.0 client open, whatever the client
    /// requests.
    @usableFromInline package var keepsAlive: Bool
    /// The options in the Connection fields.
    @usableFromInline package var connection: ConnectionOptions
    /// Whether the client waits for 100 before it sends the body (RFC 9110 §10.1.1).
    @usableFromInline package var expectsContinue: Bool
    /// Whether the client requests another protocol with Upgrade (RFC 9110 §7.8).
    @usableFromInline package var asksUpgrade: Bool
    /// Whether the target names a server and Host names another one.
    ///
    /// RFC 9112 §3.2 requires clients to send the same; §3.2.2 has the target override Host.
    @usableFromInline package var namesOtherHost: Bool
    /// Whether there is a Via field (RFC 9110 §7.6.3).
    @usableFromInline package var hasVia: Bool
    /// Whether there is a Proxy-Authorization field (RFC 9110 §11.7.2).
    @usableFromInline package var hasProxyAuthorization: Bool
    /// The facts that the parser of the response needs.
    @usableFromInline package var kind: RequestKind

    /// The number of bytes of the head.
    @inlinable
    package var byteCount: Int { lineBytes + headerBytes }

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

/// The properties of a request that determine how its response is framed (RFC 9112 §6.3).
@frozen @usableFromInline
package struct RequestKind: Sendable, Equatable {
    /// HEAD: the response has no body.
    @usableFromInline package var isHead: Bool
    /// CONNECT: a 2xx response opens a tunnel.
    @usableFromInline package var isConnect: Bool
    /// The request asks for an upgrade: 101 is allowed.
    @usableFromInline package var asksUpgrade: Bool

    /// Makes the kind of a request; by default that of other methods.
    @inlinable
    package init(isHead: Bool = false, isConnect: Bool = false, asksUpgrade: Bool = false) {
        self.isHead = isHead
        self.isConnect = isConnect
        self.asksUpgrade = asksUpgrade
    }

    /// Determines the kind from the method; methods are case-sensitive (RFC 9110 §9.1).
    package init(method: ByteString, asksUpgrade: Bool = false) {
        self.init(
            isHead: method.span.isExactly("HEAD"),
            isConnect: method.span.isExactly("CONNECT"),
            asksUpgrade: asksUpgrade
        )
    }
}
