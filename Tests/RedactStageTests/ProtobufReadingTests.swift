// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineProtobuf
import TaplineSystem
import TestSupport
import Testing

@testable import RedactStage

/// What can be read in several ways is searched in each of them.
@Suite struct ProtobufReadingTests {
    private static let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
    private static let token = Array("SK-A1B2C3D4E5F6G7H8".utf8)
    private static let mask = Array("[redacted]".utf8)
    private static let detected = [
        "{preset: none, detectors: standard}", "{keep_types: ['*'], detectors: standard}",
    ]

    private func body(
        _ bytes: [UInt8],
        _ yaml: String,
        type: String = "application/x-protobuf",
        isTruncated: Bool = false
    ) throws -> [UInt8] {
        var full = exchange(type: type)
        full.request.body = Body(bytes: bytes, size: nil, isTruncated: isTruncated)
        return try redact(full, yaml).request.body.bytes
    }

    private func varint(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        ProtobufWriter.append(varint: number, to: &bytes)
        return bytes
    }

    @Test(arguments: detected)
    func aSecretInTextAndInAMessageIsMasked(yaml: String) throws {
        for count in [32, 40, 64, 126] {
            let padding = [UInt8](repeating: 0x20, count: count - Self.token.count)
            let value = GRPCBodies.message((1, Self.token + padding))
            let found = try body(GRPCBodies.message((3, value)), yaml)
            #expect(found == GRPCBodies.message((3, Self.mask)), "\(count)")
        }
    }

    @Test(arguments: detected)
    func secretsOfDifferentReadingsAreMasked(yaml: String) throws {
        // As a message, a token, a fixed number of 32 bits and a varint, whose tag has four bytes; as
        // packed numbers, one of sixteen digits.
        let number: [UInt8] = [0xC7, 0xE3, 0xC5, 0xAF, 0x88, 0x81, 0x81, 0x09]
        let value = GRPCBodies.message((1, Self.token)) + [0x15] + number + [5]
        let isMessage = ProtobufReader.reads(value.span, 0..<value.count)
        #expect(isMessage)
        let found = try body(GRPCBodies.message((3, value)), yaml)
        #expect(found == GRPCBodies.message((3, Self.mask)))
        // As other data, a token; as packed numbers, a card.
        let data = [0] + Self.token + varint(4_111_111_111_111_111)
        let inData = try body(GRPCBodies.message((3, data)), yaml)
        #expect(inData == GRPCBodies.message((3, Self.mask)))
    }

    @Test(arguments: detected)
    func aNumberThatBothReadingsFindIsRemovedAlone(yaml: String) throws {
        let card = GRPCBodies.varint(4, 4_111_111_111_111_111)
        let name = GRPCBodies.message((1, Array("a".utf8)))
        let found = try body(GRPCBodies.message((3, name + card)), yaml)
        #expect(found == GRPCBodies.message((3, name)))
    }

    @Test(arguments: detected)
    func packedNumbersThatLookLikeTextAreSearched(yaml: String) throws {
        // As a varint, a number of sixteen digits.
        let text = Array("\u{4E2D}\u{E9}\u{E9}\t".utf8)
        let found = try body(GRPCBodies.message((3, text)), yaml)
        #expect(!GRPCBodies.holds(found, text))
        let other = GRPCBodies.message((3, Array("caf\u{E9} \u{4E2D}\u{6587} text".utf8)))
        #expect(try body(other, yaml) == other)
    }

    // MARK: Bodies

    /// A message that is JSON without a secret, too: `{" ":"hunter2…","a":"|" ,"b":"…"}`.
    private func jsonMessage() -> [UInt8] {
        let first = Array(#"":"hunter2hunter2hunter2h","a":""#.utf8)
        let second = Array(#","b":"xxxxxxxxxxxxxxxxxxxxxxxx"}"#.utf8)
        let message =
            GRPCBodies.group(15, GRPCBodies.message((4, first)))
            + GRPCBodies.message((4, second))
        #expect(message.starts(with: Array(#"{" ":"hunter2"#.utf8)))
        return message
    }

    @Test func aMessageThatLooksLikeJSONIsReadAsAMessage() throws {
        let message = jsonMessage()
        let secret = Array("hunter2".utf8)
        #expect(try body(message, "{}") == Self.mask)
        #expect(!GRPCBodies.holds(try body(message, "{}", isTruncated: true), secret))
        let cut = Array(message.dropLast(9))
        #expect(!GRPCBodies.holds(try body(cut, "{}", isTruncated: true), secret))
        #expect(!GRPCBodies.holds(try body(cut, "{}"), secret))
        let framed = GRPCBodies.frame(message)
        #expect(try body(framed, "{}", type: "application/grpc") == Self.mask)
    }

    @Test func jsonWithATypeOfMessagesIsReadAsJSON() throws {
        let text = Array(#"{"password":"hunter2","a":1}"#.utf8)
        let clean = Array(#"{"password":"[redacted]","a":1}"#.utf8)
        for type in ["application/x-protobuf", "application/grpc"] {
            #expect(try body(text, "{}", type: type) == clean)
        }
        let error = Array(#"{"code":"not_found","message":"no order"}"#.utf8)
        #expect(try body(error, "{}") == error)
    }

    @Test func aMessageThatBeginsLikeCompressedDataIsReadAsAMessage() throws {
        let secret = Array("secret-sku".utf8)
        let yaml = "{preset: none, json: [sku], descriptors: \(Self.fixtures)/shop.binpb}"
        let type = "application/x-protobuf; proto=shop.v1.Item"
        // zlib, and zstd.
        for start: [UInt8] in [[0x78, 0x9C, 1], [0x28, 0xB5, 0x2F, 0xFD, 1, 0, 0, 0, 0]] {
            let message = start + GRPCBodies.message((1, secret))
            let isRead = ProtobufReader.reads(message.span, 0..<message.count)
            #expect(isRead)
            #expect(!GRPCBodies.holds(try body(message, yaml, type: type), secret))
        }
    }

    /// Messages of which parsers read more levels than the redactor.
    @Test(arguments: ["preset: none", "keep_types: ['*']"])
    func whatIsNestedTooDeeplyIsRemoved(options: String) throws {
        let secret = Array("hunter2hunter2".utf8)
        var value = GRPCBodies.message((3, secret))
        var name = "password"
        for _ in 0..<30 {
            let entry = GRPCBodies.message((1, Array(name.utf8)), (2, value))
            value = GRPCBodies.message((5, GRPCBodies.message((1, entry))))
            name = "a"
        }
        let structure = GRPCBodies.message((1, GRPCBodies.message((1, [0x61]), (2, value))))
        let schema = "descriptors: \(Self.fixtures)/shop.binpb, json: [password]"
        let type = "application/x-protobuf; messageType=google.protobuf.Struct"
        let found = try body(structure, "{\(options), \(schema)}", type: type)
        #expect(!GRPCBodies.holds(found, secret))
        // Without names, a card.
        let card = GRPCBodies.varint(4, 4_111_111_111_111_111)
        var nested = card
        for _ in 0..<70 { nested = GRPCBodies.message((3, nested)) }
        let rest = try body(nested, "{\(options), detectors: standard}")
        #expect(!GRPCBodies.holds(rest, card))
    }

    @Test(arguments: ["preset: none", "keep_types: ['*']"])
    func aMessageInSeveralPartsIsRemoved(options: String) throws {
        let id = GRPCBodies.message((1, Array("a".utf8)))
        let part = GRPCBodies.message((2, GRPCBodies.message((1, Array("b".utf8)))))
        let more = GRPCBodies.message((5, GRPCBodies.message((1, Array("c".utf8)))))
        let type = "application/x-protobuf; messageType=shop.v1.Order"
        let yaml = "{\(options), descriptors: \(Self.fixtures)/shop.binpb, json: [password]}"
        #expect(try body(id + part + more + more, yaml, type: type) == id + part + more + more)
        #expect(try body(id + part + more + part, yaml, type: type) == id + more)
    }

    @Test func manyPartsOfAMessageTakeTimeInProportion() throws {
        let type = "application/x-protobuf; messageType=shop.v1.Order"
        let yaml = "{preset: none, descriptors: \(Self.fixtures)/shop.binpb, json: [password]}"
        let part = GRPCBodies.message((2, []))
        let other = GRPCBodies.varint(6, 1)
        func microseconds(_ count: Int) throws -> Int64 {
            let parts = [[UInt8]](repeating: part, count: count).flatMap { $0 }
            let others = [[UInt8]](repeating: other, count: count).flatMap { $0 }
            let start = ThreadClock.microseconds
            #expect(try body(parts + others, yaml, type: type) == others)
            return ThreadClock.microseconds - start
        }
        let small = try (0..<3).map { _ in try microseconds(1_000) }.min() ?? 0
        let large = try microseconds(10_000)
        #expect(large < small * 40)
    }
}
