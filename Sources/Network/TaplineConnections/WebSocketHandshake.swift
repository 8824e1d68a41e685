// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineHTTP
internal import TaplineJSON
package import TaplineModel

/// The fields by which client and server agree on a WebSocket.
///
/// **Source**: RFC 6455 §4.
package enum WebSocketHandshake {
    /// The number of random bytes in a key.
    package static let nonceSize = 16

    /// Returns the value of Sec-WebSocket-Key for random bytes.
    package static func key(_ nonce: Span<UInt8>) -> ByteString {
        var key: [UInt8] = []
        Base64.encode(nonce, into: &key)
        return ByteString(key)
    }

    /// Returns the value of Sec-WebSocket-Accept that answers a key (§4.2.2).
    package static func accept(_ key: Span<UInt8>) -> ByteString {
        var text = Array(copying: key)
        text += Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        let hash = HashAlgorithm.sha1.hash(text.span)
        var accept: [UInt8] = []
        Base64.encode(hash.bytes, into: &accept)
        return ByteString(accept)
    }

    /// Returns whether a request asks for a WebSocket (§4.1).
    package static func isRequested(by request: borrowing Request) -> Bool {
        request.method.span.equals("GET") && request.fields.lists("Upgrade", "websocket")
    }

    /// Makes a recorded handshake one for another connection, without extensions.
    ///
    /// The key is removed, and set when the request is sent; subprotocols stay.
    package static func prepare(_ request: inout Request) {
        request.fields.set("Upgrade", to: "websocket")
        request.fields.removeAll("Sec-WebSocket-Extensions")
        request.fields.removeAll("Sec-WebSocket-Key")
        if !request.fields.contains("Sec-WebSocket-Version") {
            request.fields.set("Sec-WebSocket-Version", to: "13")
        }
    }

    /// Returns why a 101 response opens no WebSocket (§4.1); `nil` if it does.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request, which offered no extensions.
    /// - Returns: The failure, which contains no traffic.
    package static func refusal(
        of response: borrowing Response,
        to request: borrowing Request
    ) -> ExchangeFailure? {
        guard isAccepted(request, by: response) else { return .wrongHandshake }
        guard !response.fields.contains("Sec-WebSocket-Extensions") else {
            return .unaskedExtension
        }
        return nil
    }

    /// Returns whether a 101 response accepts a handshake (§4.1).
    package static func isAccepted(
        _ request: borrowing Request,
        by response: borrowing Response
    ) -> Bool {
        let key = request.fields.first("Sec-WebSocket-Key") ?? ByteString()
        return response.fields.lists("Upgrade", "websocket")
            && response.fields.lists("Connection", "upgrade")
            && response.fields.first("Sec-WebSocket-Accept") == accept(key.span)
    }

    /// Returns the response that opens a WebSocket as a recorded one did; `nil` if the request has
    /// no key.
    ///
    /// Extensions are left out, and so is a subprotocol that the client has not offered.
    package static func response(
        like recorded: borrowing Response,
        to request: borrowing Request
    ) -> Response? {
        guard let key = request.fields.first("Sec-WebSocket-Key"), !key.isEmpty else { return nil }
        var response = Response(
            status: 101,
            reason: "Switching Protocols",
            version: "HTTP/1.1",
            fields: recorded.fields
        )
        for name in ["Connection", "Sec-WebSocket-Extensions", "Transfer-Encoding"] {
            response.fields.removeAll(name)
        }
        response.fields.removeAll("Content-Length")
        response.fields.set("Upgrade", to: "websocket")
        response.fields.set("Sec-WebSocket-Accept".utf8.span, to: accept(key.span).span)
        if let name = response.fields.first("Sec-WebSocket-Protocol") {
            let isOffered = request.fields.lists("Sec-WebSocket-Protocol".utf8.span, name.span)
            if !isOffered { response.fields.removeAll("Sec-WebSocket-Protocol") }
        }
        return response
    }
}

extension ExchangeFailure {
    /// The server switched protocols, but not to the WebSocket that was requested.
    package static let wrongHandshake = ExchangeFailure(
        code: "malformed_response",
        message: "the server's response does not accept the WebSocket handshake"
    )

    /// The server uses an extension that nobody has offered.
    package static let unaskedExtension = ExchangeFailure(
        code: "malformed_response",
        message: "the server's WebSocket uses an extension that was not offered"
    )
}
