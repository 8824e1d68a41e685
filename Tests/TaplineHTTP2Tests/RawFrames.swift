// SPDX-License-Identifier: MIT

import TaplineHTTP2

/// Writes frames byte by byte, also those that no implementation would send.
struct RawFrames {
    private(set) var bytes: [UInt8]

    /// Begins with the client's preface and empty settings, unless told otherwise.
    init(preface: Bool = true) {
        bytes = preface ? Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) : []
        if preface { settings() }
    }

    mutating func frame(_ type: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8] = []) {
        let count = payload.count
        bytes += [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        bytes += [type, flags] + Self.number(stream)
        bytes += payload
    }

    static func number(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
    }

    mutating func settings(_ entries: [(id: Int, value: Int)] = []) {
        let payload = entries.flatMap { [UInt8(0), UInt8($0.id)] + Self.number($0.value) }
        frame(4, 0, 0, payload)
    }

    mutating func headers(
        _ stream: Int,
        _ fields: [(String, String)],
        ends: Bool = true,
        endsHeaders: Bool = true
    ) {
        frame(1, (ends ? 1 : 0) | (endsHeaders ? 4 : 0), stream, Self.block(fields))
    }

    mutating func data(_ stream: Int, _ content: [UInt8], ends: Bool = false) {
        frame(0, ends ? 1 : 0, stream, content)
    }

    mutating func reset(_ stream: Int, _ code: Int = 8) {
        frame(3, 0, stream, Self.number(code))
    }

    /// Compresses nothing: literal fields without indexing (RFC 7541 §6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + text($0.0) + text($0.1) }
    }

    static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        if bytes.count < 127 { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var count: [UInt8] = [127]
        while rest >= 128 {
            count.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return count + [UInt8(rest)] + bytes
    }

    /// The fields of a small request.
    static let get: [(String, String)] = [
        (":method", "GET"), (":scheme", "http"), (":authority", "shop.test"), (":path", "/"),
    ]
}

/// A frame that was sent.
struct SentFrame: Equatable {
    let type: UInt8
    let flags: UInt8
    let stream: Int
    let payload: [UInt8]

    /// The error code of RST_STREAM and GOAWAY.
    var code: HTTP2ErrorCode? {
        let start = type == 3 ? 0 : type == 7 ? 4 : Int.max
        guard start < payload.count, payload.count >= start + 4 else { return nil }
        return HTTP2ErrorCode(
            rawValue: payload[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        )
    }

    /// Splits output into frames.
    static func all(in bytes: [UInt8]) -> [SentFrame] {
        var frames: [SentFrame] = []
        var index = bytes.starts(with: "PRI".utf8) ? 24 : 0
        while index + 9 <= bytes.count {
            let count = bytes[index..<index + 3].reduce(0) { $0 << 8 | Int($1) }
            let stream = bytes[index + 5..<index + 9].reduce(0) { $0 << 8 | Int($1) }
            let end = min(index + 9 + count, bytes.count)
            frames.append(
                SentFrame(
                    type: bytes[index + 3],
                    flags: bytes[index + 4],
                    stream: stream,
                    payload: Array(bytes[index + 9..<end])
                )
            )
            index += 9 + count
        }
        return frames
    }
}
