// SPDX-License-Identifier: MIT

package import TaplineModel

/// The messages that are kept of a WebSocket or an event stream.
///
/// **Units**: up to `limit` bytes of decoded payload in each direction, including the types and ids
/// of events, and up to `maxCount` messages in both directions together. Messages beyond that, or
/// for which there is no memory, are counted and marked.
package struct MessageLog: ~Copyable {
    /// The number of messages that stages have dropped.
    package var dropped = 0
    private var messages: [StreamMessage] = []
    /// The number of messages that were not kept at all.
    private var uncaptured = 0

    private let maxCount: Int
    private let limit: Int
    private var keptUp = 0
    private var keptDown = 0
    /// The bytes that are counted in the memory.
    package private(set) var held = 0

    /// Creates an empty log.
    package init(maxCount: Int, limit: Int) {
        self.maxCount = maxCount
        self.limit = limit
    }

    /// Returns how many bytes of the next message of a direction can be kept.
    package func room(_ direction: StreamMessage.Direction) -> Int {
        guard messages.count < maxCount else { return 0 }
        return max(limit - (direction == .up ? keptUp : keptDown), 0)
    }

    /// Keeps a message, as far as there is room.
    package mutating func append(_ message: consuming StreamMessage, _ memory: any CaptureMemory) {
        let names = message.event.utf8.count + message.eventID.utf8.count
        let fixed = MemoryLayout<StreamMessage>.stride + names
        guard messages.count < maxCount, names <= room(message.direction), memory.hold(fixed) else {
            uncaptured += 1
            return
        }
        held += fixed
        if message.direction == .up { keptUp += names } else { keptDown += names }
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

    /// Adds the kept messages to the record, and notes how many were not kept.
    package func fill(_ exchange: inout Exchange) {
        exchange.messages = messages
        exchange.noteMessages(dropped: dropped, uncaptured: uncaptured)
    }
}
