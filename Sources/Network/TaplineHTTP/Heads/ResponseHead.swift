// SPDX-License-Identifier: MIT

public import TaplineModel

/// The head of a response as it was received, and its meaning for the connection.
@frozen
public struct ResponseHead: Sendable {
    /// The response: status, reason, version and fields, without a body.
    public var response: Response
    /// How the body is framed, as determined by the request and the status (RFC 9112 §6.3).
    public var framing: BodyFraming
    /// The number of bytes of the status line with its line end.
    public var lineBytes: Int
    /// The number of bytes of the field lines and of the empty line after them.
    public var headerBytes: Int
    /// Whether the version is HTTP/1.0.
    public var isVersion10: Bool
    /// Whether the server allows another request on the connection; never after a body that ends
    /// with the connection, or after a tunnel.
    public var keepsAlive: Bool
    /// The options in the Connection fields.
    public var connection: ConnectionOptions
    /// Whether the connection carries another protocol from now on: 101, or 2xx to CONNECT.
    public var becomesTunnel: Bool

    /// Whether the final response is still to come: 1xx, except 101 (RFC 9110 §15.2).
    @inlinable
    public var isInterim: Bool {
        response.status >= 100 && response.status < 200 && response.status != 101
    }

    /// The number of bytes of the head.
    @inlinable
    public var byteCount: Int { lineBytes + headerBytes }

    @usableFromInline
    init(response: consuming Response, lineBytes: Int, headerBytes: Int) {
        self.response = response
        self.lineBytes = lineBytes
        self.headerBytes = headerBytes
        framing = .none
        isVersion10 = false
        keepsAlive = false
        connection = []
        becomesTunnel = false
    }
}
