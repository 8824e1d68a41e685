// SPDX-License-Identifier: MIT

internal import CLuaShims
internal import TaplineModel

/// The messages of an exchange in the flat layout that C reads; reused for each call.
struct StreamBuffer {
    private var bytes: [UInt8] = []
    private var messages: [tapline_lua_stream_message] = []

    /// Copies messages; messages beyond 4 GiB in total are left out.
    mutating func fill(_ list: [StreamMessage]) {
        bytes.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
        for message in list {
            let start = bytes.count
            let type = message.type.utf8.count
            let (event, id) = (message.event.utf8.count, message.eventID.utf8.count)
            let names = type + event + id
            guard start + names + message.bytes.count < Int(UInt32.max) else { return }
            bytes.append(contentsOf: message.type.utf8)
            bytes.append(contentsOf: message.event.utf8)
            bytes.append(contentsOf: message.eventID.utf8)
            bytes.append(contentsOf: message.bytes)
            var properties = message.properties
            properties.type_start = UInt32(truncatingIfNeeded: start)
            properties.type_count = UInt32(truncatingIfNeeded: type)
            properties.event_count = UInt32(truncatingIfNeeded: event)
            properties.id_count = UInt32(truncatingIfNeeded: id)
            properties.start = UInt32(truncatingIfNeeded: start + names)
            properties.count = UInt32(truncatingIfNeeded: message.bytes.count)
            messages.append(properties)
        }
    }

    /// Lends the messages, valid until the next `fill`.
    @unsafe
    func lend(to view: UnsafeMutablePointer<tapline_lua_exchange>) {
        unsafe view.pointee.stream = unsafe messages.withUnsafeBufferPointer { messages in
            unsafe tapline_lua_stream(
                bytes: bytes.span.lent,
                messages: messages.baseAddress,
                count: messages.count
            )
        }
    }
}
