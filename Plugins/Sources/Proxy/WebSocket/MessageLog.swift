// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// The messages that are kept of a WebSocket.
///
/// **Units**: up to `limit` bytes of payload in each direction, decoded, and up to `maxCount`
/// messages in both. What passes that, or does not fit into the memory, is counted and marked.
struct MessageLog: ~Copyable {
    /// How many messages stages have dropped.
    var dropped = 0
    private var messages: [StreamMessage] = []
    /// How many messages were not kept at all.
    private var unkept = 0

    private let maxCount: Int
    private let limit: Int
    private var keptUp = 0
    private var keptDown = 0
    /// The bytes that count in the memory.
    private(set) var held = 0

    init(maxCount: Int, limit: Int) {
        self.maxCount = maxCount
        self.limit = limit
    }

    /// How many bytes of the next message of a direction are kept.
    func room(_ direction: StreamMessage.Direction) -> Int {
        guard messages.count < maxCount else { return 0 }
        return max(limit - (direction == .up ? keptUp : keptDown), 0)
    }

    /// Keeps a message, as far as there is room.
    mutating func append(_ message: consuming StreamMessage, _ memory: any CaptureMemory) {
        guard messages.count < maxCount, memory.hold(MemoryLayout<StreamMessage>.stride) else {
            unkept += 1
            return
        }
        held += MemoryLayout<StreamMessage>.stride
        let room = room(message.direction)
        if message.bytes.count > room {
            message.bytes = Array(message.bytes[..<room])
            message.isTruncated = true
        }
        let count = message.bytes.count
        if count > 0, !memory.hold(count) {
            message.bytes = []
            message.isTruncated = true
        } else {
            held += count
            if message.direction == .up { keptUp += count } else { keptDown += count }
        }
        messages.append(message)
    }

    /// Puts what was kept, and what was not, into the record.
    func fill(_ exchange: inout Exchange) {
        exchange.messages = messages
        exchange.noteMessages(dropped: dropped, unkept: unkept)
    }
}

extension WebSocketMessage {
    /// The message as it is recorded.
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
