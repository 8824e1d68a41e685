// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for WebSocket frames and messages.
@Suite
struct WebSocketTests {
    static let mask = WebSocketMask(key: 0x37FA_213D)

    /// Returns the messages of a direction that is split at these positions.
    static func messages(
        _ bytes: [UInt8],
        from sender: WebSocketSender = .server,
        endingAt ends: [Int]? = nil,
        keeps: Int = 1 << 20,
        maximum: Int = .max,
        allowsCompression: Bool = false
    ) throws -> [WebSocketMessage] {
        var assembler = WebSocketMessageAssembler(
            from: sender,
            keeps: keeps,
            maximum: maximum,
            allowsCompression: allowsCompression
        )
        var messages: [WebSocketMessage] = []
        var consumed = 0
        for end in ends ?? [bytes.count] {
            while true {
                let step = try assembler.next(bytes.span.extracting(consumed..<end))
                consumed += step.consumed
                guard let message = step.message else { break }
                messages.append(message)
            }
        }
        return messages
    }

    static func frame(
        _ opcode: WebSocketOpcode,
        _ payload: String,
        isFinal: Bool = true,
        isCompressed: Bool = false,
        mask: WebSocketMask? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(
            WebSocketFrame(
                opcode,
                payloadCount: 0,
                isFinal: isFinal,
                isCompressed: isCompressed,
                mask: mask
            ),
            payload: payload.utf8.span
        )
        return bytes
    }

    /// RFC 6455 §5.7: the examples.
    @Test func theExamplesOfTheStandard() throws {
        #expect(Self.frame(.text, "Hello") == [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f])
        let masked: [UInt8] = [
            0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
        ]
        #expect(Self.frame(.text, "Hello", mask: Self.mask) == masked)
        #expect(try Self.messages(masked, from: .client).first?.bytes == Array("Hello".utf8))
        let fragments: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f]
        #expect(try Self.messages(fragments).map(\.bytes) == [Array("Hello".utf8)])
    }

    static let mixed: [UInt8] =
        frame(.text, "one, ", isFinal: false, mask: mask)
        + frame(.ping, "are you there", mask: mask)
        + frame(.continuation, "", isFinal: false, mask: mask)
        + frame(.continuation, "two", mask: mask) + frame(.binary, "", mask: mask)
        + frame(.binary, String(repeating: "x", count: 70_000), mask: mask)
        + frame(.pong, "", mask: mask) + frame(.close, "", mask: mask)

    @Test func controlFramesMayComeBetweenFragments() throws {
        let messages = try Self.messages(Self.mixed, from: .client)
        #expect(messages.map(\.opcode) == [.ping, .text, .binary, .binary, .pong, .close])
        #expect(messages[1].bytes == Array("one, two".utf8))
        #expect(messages[3].size == 70_000)
    }

    @Test func theSplitMakesNoDifference() throws {
        let short =
            Self.frame(.text, "one, ", isFinal: false, mask: Self.mask)
            + Self.frame(.ping, "there?", mask: Self.mask)
            + Self.frame(.continuation, String(repeating: "ab", count: 100), mask: Self.mask)
        let whole = try Self.messages(short, from: .client)
        #expect(whole.count == 2)
        for cut in Parsing.cuts(short.count) {
            #expect(try Self.messages(short, from: .client, endingAt: cut) == whole)
        }
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536])
    func lengths(_ count: Int) throws {
        let payload = String(repeating: "y", count: count)
        for mask in [nil, Self.mask] {
            let bytes = Self.frame(.binary, payload, mask: mask)
            let head = (count < 126 ? 2 : count < 65_536 ? 4 : 10) + (mask == nil ? 0 : 4)
            #expect(bytes.count == head + count)
            let messages = try Self.messages(bytes, from: mask == nil ? .server : .client)
            #expect(messages.first?.bytes == Array(payload.utf8))
        }
    }

    /// RFC 6455 §5.3: each byte is masked with the key's byte at its position modulo 4, wherever a
    /// part begins and however long it is.
    @Test func masksAreRemovedByteByByte() {
        let payload = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        for place in [0, 1, 2, 3, 4, 7, 1_000_001] {
            for count in 0...payload.count {
                var output: [UInt8] = [1, 2, 3]
                output.append(
                    payload.span.extracting(0..<count),
                    masking: Self.mask,
                    at: place
                )
                let expected = (0..<count).map { payload[$0] ^ key[(place + $0) % 4] }
                #expect(output == [1, 2, 3] + expected)
            }
        }
        var plain: [UInt8] = []
        plain.append(payload.span, masking: nil, at: 1)
        #expect(plain == payload)
    }

    @Test func dataBeyondTheLimitIsCounted() throws {
        let bytes =
            Self.frame(.text, "12345", isFinal: false) + Self.frame(.continuation, "678")
        let message = try #require(try Self.messages(bytes, keeps: 6).first)
        #expect(message.bytes == Array("123456".utf8))
        #expect(message.size == 8)
        #expect(message.isTruncated)
    }

    struct Row {
        let clause: String
        let bytes: [UInt8]
        let name: String
        init(_ clause: String, _ bytes: [UInt8], _ name: String) {
            self.clause = clause
            self.bytes = bytes
            self.name = name
        }
    }

    @Test(arguments: [
        Row("§5.2", [0x91, 0x00], "reserved_bits"), Row("§5.2", [0xA1, 0x00], "reserved_bits"),
        Row("7692 §6", [0xC1, 0x00], "reserved_bits"), Row("§5.5", [0xC9, 0x00], "reserved_bits"),
        Row("§5.2", [0x83, 0x00], "reserved_opcode"), Row("§5.2", [0x8B, 0x00], "reserved_opcode"),
        Row("§5.1", [0x81, 0x80, 0, 0, 0, 0], "wrong_mask"),
        Row("§5.5", [0x09, 0x00], "fragmented_control"),
        Row("§5.5", [0x89, 0x7E, 0x00, 0x7E], "long_control"),
        Row("§5.2", [0x81, 0x7E, 0x00, 0x7D], "invalid_length"),
        Row("§5.2", [0x81, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], "invalid_length"),
        Row("§5.2", [0x81, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0], "invalid_length"),
        Row("§5.4", [0x80, 0x00], "unexpected_continuation"),
        Row("§5.4", [0x81, 0x00, 0x80, 0x00], "unexpected_continuation"),
        Row("§5.4", [0x01, 0x00, 0x82, 0x00], "missing_continuation"),
        Row("§5.5.1", [0x88, 0x01, 0x03], "invalid_close"),
        Row("§7.4.1", [0x88, 0x02, 0x03, 0xED], "invalid_close"),
        Row("§7.4.2", [0x88, 0x02, 0x03, 0xE7], "invalid_close"),
        Row("§7.4.2", [0x88, 0x02, 0x13, 0x88], "invalid_close"),
        Row("§5.5.1", [0x88, 0x00, 0x81, 0x00], "frame_after_close"),
        Row("limit", [0x82, 0x7E, 0x03, 0xE9], "frame_too_long"),
    ])
    func framesAreRefused(_ row: Row) throws {
        let whole = #expect(throws: WebSocketError.self) {
            try Self.messages(row.bytes, maximum: 1000)
        }
        for cut in Parsing.cuts(row.bytes.count) {
            let error = #expect(throws: WebSocketError.self) {
                try Self.messages(row.bytes, endingAt: cut, maximum: 1000)
            }
            #expect(error == whole)
            #expect(error?.code.name == row.name)
            #expect(error?.code.closeCode == (row.clause == "limit" ? 1009 : 1002))
        }
    }

    @Test func aClientsFrameNeedsAMask() {
        let error = #expect(throws: WebSocketError.self) {
            try Self.messages([0x81, 0x00], from: .client)
        }
        #expect(
            error?.description
                == "websocket: frames of clients have to be masked, frames of servers must not be; in the frame at byte 0"
        )
    }

    @Test func compressedMessagesAreMarked() throws {
        let bytes =
            Self.frame(.text, "abc", isFinal: false, isCompressed: true)
            + Self.frame(.continuation, "d") + Self.frame(.text, "e")
        let messages = try Self.messages(bytes, allowsCompression: true)
        #expect(messages.map(\.isCompressed) == [true, false])
        let again = Self.frame(.text, "a", isFinal: false) + [0xC0, 0x00]
        let error = #expect(throws: WebSocketError.self) {
            try Self.messages(again, allowsCompression: true)
        }
        #expect(error?.code.name == "reserved_bits")
    }

    @Test func closeCodes() throws {
        #expect(try Self.messages([0x88, 0x02, 0x03, 0xE8]).first?.closeCode == 1000)
        #expect(try Self.messages([0x88, 0x00]).first?.closeCode == nil)
    }

    @Test(arguments: [
        ("permessage-deflate", 15, false), ("x-other", 0, false),
        ("permessage-deflate; x=1", 0, false), ("permessage-deflate; x=10", 0, false),
        ("Permessage-Deflate; server_max_window_bits=10; client_no_context_takeover, x", 10, true),
        ("permessage-deflate;server_max_window_bits=\"9\"", 9, false),
        ("permessage-deflate; server_max_window_bits=7", 0, false),
        ("permessage-deflate; server_max_window_bits", 0, false),
    ])
    func parametersOfCompression(_ value: String, _ bits: Int, _ noContext: Bool) {
        let agreed = PerMessageDeflate(response: ["Sec-WebSocket-Extensions": value])
        #expect((agreed?.serverMaxWindowBits ?? 0) == bits)
        #expect((agreed?.clientNoContextTakeover ?? false) == noContext)
    }
}
