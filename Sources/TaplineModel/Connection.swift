// SPDX-License-Identifier: MIT

/// The connections that an exchange used.
@frozen
public struct Connection: Sendable, Equatable {
    /// The client's address and port.
    public var client: String
    /// The server's address and port.
    public var server: String
    /// Whether the client's connection had carried an exchange before.
    public var isReused: Bool?
    /// TLS on the client's leg.
    public var tls: TLSInfo?
    /// TLS on the server's leg.
    public var serverTLS: TLSInfo?

    /// Nothing known.
    @inlinable
    public init(client: String = "", server: String = "", isReused: Bool? = nil) {
        self.client = client
        self.server = server
        self.isReused = isReused
        tls = nil
        serverTLS = nil
    }
}

/// What was agreed in a TLS handshake (RFC 8446); a part that is not known is empty.
///
/// A class, since most exchanges have none and it would double the size of the others.
public final class TLSInfo: Sendable {
    /// The protocol version, such as `TLSv1.3`.
    public let version: String
    /// The cipher suite.
    public let cipher: String
    /// The server name that the client asked for.
    public let sni: String
    /// The application protocol.
    public let alpn: String
    /// The bytes of the handshake on the wire, where they were counted.
    public let handshake: Handshake?

    /// The bytes that the handshake of a connection took, with the headers of its records.
    ///
    /// Tickets that come after its end do not count.
    public struct Handshake: Sendable, Equatable {
        /// To the server.
        public let up: Int
        /// To the client.
        public let down: Int

        /// So many bytes.
        public init(up: Int, down: Int) {
            self.up = up
            self.down = down
        }
    }

    /// What was agreed.
    public init(
        version: String = "",
        cipher: String = "",
        sni: String = "",
        alpn: String = "",
        handshake: Handshake? = nil
    ) {
        self.version = version
        self.cipher = cipher
        self.sni = sni
        self.alpn = alpn
        self.handshake = handshake
    }
}

extension TLSInfo: Equatable {
    /// Whether all parts are the same.
    public static func == (left: TLSInfo, right: TLSInfo) -> Bool {
        left === right
            || (left.version == right.version && left.cipher == right.cipher
                && left.sni == right.sni && left.alpn == right.alpn
                && left.handshake == right.handshake)
    }
}
