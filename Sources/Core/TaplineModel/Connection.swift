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

    /// Creates a connection from what is known.
    @inlinable
    public init(client: String = "", server: String = "", isReused: Bool? = nil) {
        self.client = client
        self.server = server
        self.isReused = isReused
        tls = nil
        serverTLS = nil
    }
}

extension Connection {
    /// The client's address without its port.
    package var clientAddress: Substring {
        let range = Self.address(in: client.utf8.span)
        return client[..<client.utf8.index(client.startIndex, offsetBy: range.upperBound)]
    }

    /// Returns where the address is in an address with a port, such as `[::1]:51234`; all of it if
    /// there is no port.
    package static func address(in text: Span<UInt8>) -> Range<Int> {
        guard let colon = text.lastIndex(of: .ascii(":")) else { return 0..<text.count }
        // An IPv6 address has brackets if a port follows.
        let isWhole =
            text[0] == .ascii("[")
            ? text[text.count - 1] == .ascii("]")
            : text.extracting(0..<colon).firstIndex(of: .ascii(":")) != nil
        return 0..<(isWhole ? text.count : colon)
    }
}

/// The result of a TLS handshake (RFC 8446); unknown parts are empty.
///
/// This is a class because most exchanges have none, and a struct would double their size.
public final class TLSInfo: Sendable {
    /// The protocol version, such as `TLSv1.3`.
    public let version: String
    /// The cipher suite.
    public let cipher: String
    /// The server name that the client asked for.
    public let sni: String
    /// The application protocol.
    public let alpn: String
    /// The bytes of the handshake on the wire, if they were counted.
    public let handshake: Handshake?

    /// The bytes of a connection's handshake, including record headers.
    ///
    /// Session tickets sent after it are not counted.
    public struct Handshake: Sendable, Equatable {
        /// To the server.
        public let up: Int
        /// To the client.
        public let down: Int

        /// Creates counts for both directions.
        public init(up: Int, down: Int) {
            self.up = up
            self.down = down
        }
    }

    /// Creates the result of a handshake.
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
    /// Whether all parts are equal.
    public static func == (left: TLSInfo, right: TLSInfo) -> Bool {
        left === right
            || (left.version == right.version && left.cipher == right.cipher
                && left.sni == right.sni && left.alpn == right.alpn
                && left.handshake == right.handshake)
    }
}
