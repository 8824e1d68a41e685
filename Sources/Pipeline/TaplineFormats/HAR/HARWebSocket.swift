// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// WebSocket messages in Chrome's format: type, time, opcode and data.
///
/// `time` is in seconds since 1970 (Chrome, mitmproxy) or milliseconds (Playwright). `data` is
/// text, or base64 if the opcode is not 1 (RFC 6455 §11.8).
enum HARWebSocket {
    /// Parses a message; returns `nil` if it is an error noted by the tool.
    static func message(
        _ value: JSONValue,
        _ started: Timestamp,
        _ notes: inout HARNotes
    ) throws(RecordError) -> StreamMessage? {
        try value.requireObject("_webSocketMessages")
        var message = StreamMessage(direction: .down, bytes: [])
        var opcode: Int64 = 1
        var data: JSONValue?
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("type") {
                if value.matches("send") {
                    message.direction = .up
                } else if !value.matches("receive") {
                    return nil
                }
            } else if key.matches("time") {
                message.at = time(value, started, &notes)
            } else if key.matches("opcode") {
                opcode = value.asInt64 ?? 1
            } else if key.matches("data") {
                _ = try value.requireString("data")
                data = value
            }
        }
        message.type = type(opcode)
        if let data { message.bytes = bytes(data, isBinary: opcode != 1) }
        message.size = message.bytes.count
        if opcode == 8, message.bytes.count >= 2 {
            message.code = Int(message.bytes[0]) << 8 | Int(message.bytes[1])
            message.bytes.removeFirst(2)
        }
        return message
    }

    /// The payload on the wire: the status of a close precedes its reason.
    static func payload(_ message: StreamMessage) -> [UInt8] {
        guard let code = message.code.flatMap({ UInt16(exactly: $0) }) else { return message.bytes }
        return [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + message.bytes
    }

    private static func type(_ opcode: Int64) -> String {
        switch opcode {
        case 2: "binary"
        case 8: "close"
        case 9: "ping"
        case 10: "pong"
        default: "text"
        }
    }

    static func opcode(_ type: String) -> Int {
        switch type {
        case "binary": 2
        case "close": 8
        case "ping": 9
        case "pong": 10
        default: 1
        }
    }

    /// The time since the start; seconds and milliseconds are distinguished by magnitude.
    static func time(
        _ value: JSONValue,
        _ started: Timestamp,
        _ notes: inout HARNotes
    ) -> Microseconds? {
        guard let number = value.asDouble else {
            notes.findings.count("times (not a number, read as unknown)")
            return nil
        }
        if number < 0 { return nil }
        let milliseconds = number > 1e11 ? number : number * 1000
        return Microseconds(milliseconds: milliseconds - Double(started.microseconds) / 1000)
    }

    private static func bytes(_ data: JSONValue, isBinary: Bool) -> [UInt8] {
        var decoded: [UInt8] = []
        if isBinary, Base64.decode(data.bytes, .lines, into: &decoded) == nil { return decoded }
        return Array(copying: data.bytes)
    }
}

extension StreamMessage {
    /// Whether this is neither a server-sent event nor a gRPC message.
    var isOfWebSocket: Bool { !isEvent && type != "grpc" }
}
