// SPDX-License-Identifier: MIT

public import TaplineModel

/// The head of a response as it was received, and what it means for the connection.
@frozen
public struct ResponseHead: Sendable {
    /// The response: status, reason, version and fields; no body yet.
    public var response: Response
    /// How the body is framed, as the request and the status demand (RFC 9112 §6.3).
    public var framing: BodyFraming
    /// The bytes of the status line with its line end.
    public var lineBytes: Int
    /// The bytes of the field lines and of the empty line after them.
    public var headerBytes: Int
    /// Whether the version is HTTP/1.0.
    public var isVersion10: Bool
    /// Whether the server lets the connection carry another request; never after a body that ends
    /// with the connection, nor a tunnel.
    public var keepsAlive: Bool
    /// What the Connection fields list.
    public var connection: ConnectionOptions
    /// Whether the connection carries another protocol from here on: 101, or 2xx to CONNECT.
    public var becomesTunnel: Bool

    /// Whether the final response is still to come: 1xx, but not 101 (RFC 9110 §15.2).
    @inlinable
    public var isInterim: Bool {
        response.status >= 100 && response.status < 200 && response.status != 101
    }

    /// How many bytes the head has.
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
