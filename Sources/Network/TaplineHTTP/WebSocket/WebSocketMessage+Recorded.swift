// SPDX-License-Identifier: MIT

package import TaplineModel

extension WebSocketMessage {
    /// Makes a control frame that is sent, for the record.
    package init(control opcode: WebSocketOpcode, _ payload: [UInt8]) {
        self.init(
            opcode: opcode,
            bytes: payload,
            size: payload.count,
            isTruncated: false,
            isCompressed: false
        )
    }

    /// Returns the message in the form that is recorded.
    package consuming func recorded(
        _ direction: StreamMessage.Direction,
        at time: Microseconds
    ) -> StreamMessage {
        var message = StreamMessage(
            direction: direction,
            at: time,
            type: opcode.name,
            code: closeCode,
            bytes: [],
            size: size,
            isTruncated: isTruncated
        )
        message.bytes = bytes
        if message.code != nil { message.bytes.removeFirst(2) }
        return message
    }
}

extension StreamMessage {
    /// The frame of a recorded message, without a mask; `nil` if its type is none of WebSocket.
    package var webSocketOpcode: WebSocketOpcode? {
        switch type {
        case "text": .text
        case "binary": .binary
        case "close": .close
        case "ping": .ping
        case "pong": .pong
        default: nil
        }
    }

    /// The payload of its frame: of a close frame, the status and the reason (RFC 6455 §5.5.1).
    ///
    /// A status that no close frame may contain is left out, and control frames are cut to 125
    /// bytes.
    package var webSocketPayload: [UInt8] {
        switch type {
        case "close": WebSocketMessage.closePayload(code, reason: bytes.span)
        case "ping", "pong": Array(bytes.prefix(125))
        default: bytes
        }
    }
}

extension WebSocketMessage {
    /// Returns the payload of a close frame; empty without a valid status (RFC 6455 §7.4).
    package static func closePayload(_ code: Int?, reason: Span<UInt8> = Span()) -> [UInt8] {
        guard let code, isValid(closeCode: code) else { return [] }
        var payload = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        payload.append(copying: reason.extracting(0..<Swift.min(reason.count, 123)))
        return payload
    }

    /// Returns whether a close frame may have a status.
    static func isValid(closeCode code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
