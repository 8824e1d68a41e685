// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel

/// WebSockets on streams of HTTP/2: exchanges see the handshake of HTTP/1.1 on either side.
///
/// **Source**: RFC 8441 §5.
extension WebSocketHandshake {
    /// The protocol of the extended CONNECT that opens a WebSocket.
    static let streamProtocol: ByteString = "websocket"

    /// Makes an extended CONNECT a handshake of HTTP/1.1, with a key that the client does not know.
    package static func translate(_ head: inout RequestHead, key: ByteString) {
        head.request.method = "GET"
        head.request.fields.set("Connection", to: "Upgrade")
        head.request.fields.set("Upgrade", to: "websocket")
        head.request.fields.set("Sec-WebSocket-Key".utf8.span, to: key.span)
        if !head.request.fields.contains("Sec-WebSocket-Version") {
            head.request.fields.set("Sec-WebSocket-Version", to: "13")
        }
        head.asksUpgrade = true
        head.kind = RequestKind(asksUpgrade: true)
    }

    /// Returns the extended CONNECT of a handshake.
    static func streamRequest(_ request: borrowing Request) -> Request {
        var connect = copy request
        connect.method = "CONNECT"
        connect.fields.removeAll("Sec-WebSocket-Key")
        return connect
    }

    /// Makes the response that opens a WebSocket on a stream one that accepts a key.
    static func translate(_ response: inout Response, key: ByteString) {
        response.status = 101
        response.reason = "Switching Protocols"
        response.fields.set("Connection", to: "Upgrade")
        response.fields.set("Upgrade", to: "websocket")
        response.fields.set("Sec-WebSocket-Accept".utf8.span, to: accept(key.span).span)
    }

    /// Returns the response that opens a WebSocket on a stream, for one that switches protocols.
    package static func streamResponse(_ response: borrowing Response) -> Response {
        var opening = copy response
        opening.status = 200
        opening.fields.removeAll("Sec-WebSocket-Accept")
        return opening
    }
}
