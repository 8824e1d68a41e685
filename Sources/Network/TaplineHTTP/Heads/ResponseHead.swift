// SPDX-License-Identifier: MIT

public import TaplineModel

/// The head of a response as it was received, and its meaning for the connection.
@frozen @usableFromInline
package struct ResponseHead: Sendable {
    /// The response: status, reason, version and fields, without a body.
    @usableFromInline package var response: Response
    /// How the body is framed, as determined by the request and the status (RFC 9112 §6.3).
    @usableFromInline package var framing: BodyFraming
    /// The number of bytes of the status line with its line end.
    @usableFromInline package var lineBytes: Int
    /// The number of bytes of the field lines and of the empty line after them.
    @usableFromInline package var headerBytes: Int
    /// Whether the version is HTTP/1.0.
    @usableFromInline package var isVersion10: Bool
    /// Whether the server allows another request on the connection; never after a body that ends
    /// with the connection, or after a tunnel.
    @usableFromInline package var keepsAlive: Bool
    /// The options in the Connection fields.
    @usableFromInline package var connection: ConnectionOptions
    /// Whether the connection carries another protocol from now on: 101, or 2xx to CONNECT.
    @usableFromInline package var becomesTunnel: Bool

    /// Whether the final response is still to come: 1xx, except 101 (RFC 9110 §15.2).
    @inlinable
    package var isInterim: Bool {
        response.status >= 100 && response.status < 200 && response.status != 101
    }

    /// The number of bytes of the head.
    @inlinable
    package var byteCount: Int { lineBytes + headerBytes }

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
