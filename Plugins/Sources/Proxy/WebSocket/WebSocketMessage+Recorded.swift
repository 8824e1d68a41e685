// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel

extension WebSocketMessage {
    /// Returns the message in the form that is recorded.
    consuming func recorded(
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
