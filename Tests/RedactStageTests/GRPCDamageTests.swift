// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@testable import RedactStage

/// Damage in a gRPC body neither hides secrets nor affects the messages around it.
@Suite struct GRPCDamageTests {
    private static let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
    private static let named = "{descriptors: \(fixtures)/shop.binpb, json: [sku]}"
    private static let withoutPreset =
        "{preset: none, descriptors: \(fixtures)/shop.binpb, json: [sku]}"
    private static let keptAndNamed =
        "{keep_types: ['*'], descriptors: \(fixtures)/shop.binpb, json: [sku]}"
    private static let kept = "{keep_types: ['*'], detectors: standard}"
    private static let mask = Array("[redacted]".utf8)
    private static let secret = Array("hunter2hunter2".utf8)
    private static let item = GRPCBodies.message((1, secret))
    private static let maskedItem = GRPCBodies.frame(GRPCBodies.message((1, mask)))

    private func body(
        _ bytes: [UInt8],
        _ yaml: String,
        type: String = "application/grpc",
        encoding: String = "",
        isTruncated: Bool = false
    ) throws -> [UInt8] {
        var full = exchange(type: type)
        full.request.target = "/shop.v1.Orders/Get"
        if !encoding.isEmpty { full.request.fields.append(name: "grpc-encoding", value: encoding) }
        full.request.body = Body(bytes: bytes, size: nil, isTruncated: isTruncated)
        return try redact(full, yaml).request.body.bytes
    }

    @Test(arguments: [
        "application/grpc", "application/grpc+proto; proto=shop.v1.Order",
        "application/grpc; messageType=\"shop.v1.Order\"",
        "application/x-protobuf; messageType=shop.v1.Order", "application/grpc+json",
    ])
    func theSenderDoesNotChooseTheType(type: String) throws {
        let isFramed = type.contains("grpc")
        let sent = isFramed ? GRPCBodies.frame(Self.item) : Self.item
        for yaml in [Self.named, Self.withoutPreset] {
            let found = try body(sent, yaml, type: type)
            #expect(!GRPCBodies.holds(found, Self.secret), "\(type)")
            var full = exchange(type: type)
            full.request.target = "/shop.v1.Orders/Get"
            full.messages = [StreamMessage(direction: .up, type: "grpc", bytes: Self.item)]
            let message = try redact(full, yaml).messages[0].bytes
            #expect(!GRPCBodies.holds(message, Self.secret), "\(type)")
        }
    }

    @Test(arguments: [named, withoutPreset])
    func messagesAroundADamagedOneAreRedacted(yaml: String) throws {
        let damaged = GRPCBodies.frame([0xFF, 0xD8, 0xFF] + Self.secret)
        let good = GRPCBodies.frame(Self.item)
        let found = try body(good + damaged + good, yaml)
        #expect(found.starts(with: Self.maskedItem))
        #expect(found.suffix(Self.maskedItem.count) == Self.maskedItem[...])
        #expect(!GRPCBodies.holds(found, Self.secret))
    }

    @Test func messagesAfterOneThatCannotBeDecodedAreRead() throws {
        let clean = GRPCBodies.frame(
            try GRPCBodies.coded(GRPCBodies.message((1, Array("clean".utf8))), .gzip),
            flags: 1
        )
        let damaged = GRPCBodies.frame(Array("no compressed data".utf8), flags: 1)
        let found = try body(clean + damaged + clean, Self.kept, encoding: "gzip")
        #expect(found == clean + GRPCBodies.frame(Self.mask) + clean)
    }

    @Test func damagedMessagesCostAsMuchAsTheyMayDecode() throws {
        let clean = GRPCBodies.frame(
            try GRPCBodies.coded(GRPCBodies.message((1, Array("clean".utf8))), .gzip),
            flags: 1
        )
        let damaged = GRPCBodies.frame([0x1F], flags: 1)
        let all = [[UInt8]](repeating: damaged, count: 30).flatMap { $0 } + clean
        let yaml = "{keep_types: ['*'], max_decoded_bytes: 100KB}"
        let masked = GRPCBodies.frame(Self.mask)
        let found = try body(all, yaml, encoding: "gzip")
        #expect(found == [[UInt8]](repeating: masked, count: 31).flatMap { $0 })
    }

    @Test(arguments: [named, withoutPreset, kept])
    func whatFollowsLostFramesIsMasked(yaml: String) throws {
        let good = GRPCBodies.frame([])
        let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let more: [[UInt8]] = [
            [9] + GRPCBodies.frame(Self.item), image + Self.secret,
            [0, 0xFF, 0xFF, 0xFF, 0xFF] + Self.item, [0x80] + GRPCBodies.frame(Self.item),
        ]
        for rest in more { #expect(try body(good + rest, yaml) == good + Self.mask) }
    }

    @Test(arguments: [named, withoutPreset])
    func aBodyWithoutFramesIsMaskedIfItsTypeIsKnown(yaml: String) throws {
        let found = try body([9] + GRPCBodies.frame(Self.item), yaml)
        #expect(found == Self.mask)
        let text = GRPCBodies.base64(GRPCBodies.frame(Self.item)) + [0x21]
        #expect(try body(text, yaml, type: "application/grpc-web-text") == Self.mask)
        let page = Array("upstream failed".utf8)
        #expect(try body(page, yaml) == page)
    }

    @Test(arguments: [named, withoutPreset])
    func whatFollowsTheTrailersOfGRPCWebIsMasked(yaml: String) throws {
        let trailers = GRPCBodies.frame(Array("grpc-status: 5\r\n".utf8), flags: 0x80)
        let good = GRPCBodies.frame(Self.item)
        let type = "application/grpc-web+proto"
        let whole = try body(good + trailers, yaml, type: type)
        #expect(whole == Self.maskedItem + trailers)
        for rest in [good, trailers + good, [1], Self.secret] {
            let found = try body(good + trailers + rest, yaml, type: type)
            #expect(found == Self.maskedItem + trailers + Self.mask)
        }
        let text = GRPCBodies.base64(good + trailers + good)
        let found = try body(text, yaml, type: "application/grpc-web-text")
        #expect(found == GRPCBodies.base64(Self.maskedItem + trailers + Self.mask))
    }

    @Test(arguments: [named, withoutPreset, keptAndNamed])
    func aSecretBeforeDamageIsMasked(yaml: String) throws {
        // 7 is not a tag.
        let damaged = Self.item + [7]
        #expect(!GRPCBodies.holds(try body(GRPCBodies.frame(damaged), yaml), Self.secret))
        let plain = try body(damaged, yaml, type: "application/x-protobuf")
        #expect(!GRPCBodies.holds(plain, Self.secret))
        var full = exchange(type: "application/grpc")
        full.request.target = "/shop.v1.Orders/Get"
        full.messages = [StreamMessage(direction: .up, type: "grpc", bytes: damaged)]
        #expect(!GRPCBodies.holds(try redact(full, yaml).messages[0].bytes, Self.secret))
    }

    @Test func aCardBeforeDamageIsMaskedWithoutAType() throws {
        let card = GRPCBodies.varint(4, 4_111_111_111_111_111)
        for yaml in [Self.kept, "{preset: none, detectors: standard}"] {
            var full = exchange(type: "application/grpc")
            full.messages = [StreamMessage(direction: .up, type: "grpc", bytes: card + [7])]
            #expect(!GRPCBodies.holds(try redact(full, yaml).messages[0].bytes, card))
        }
    }

    @Test(arguments: [named, withoutPreset, keptAndNamed])
    func namesApplyToATruncatedMessageOfText(yaml: String) throws {
        // The tag is a line feed and the length "@"; 24 bytes are missing.
        let bytes: [UInt8] = [0x0A, 0x40] + Self.secret + Self.secret + Array("0123456789ab".utf8)
        let found = try body(bytes, yaml, type: "application/x-protobuf")
        #expect(!GRPCBodies.holds(found, Self.secret))
    }

    @Test(arguments: [named, withoutPreset, keptAndNamed])
    func whatOnlyLooksCompressedIsRead(yaml: String) throws {
        let framed = try body([0x1F, 0x8B] + GRPCBodies.frame(Self.item), yaml)
        #expect(!GRPCBodies.holds(framed, Self.secret))
        let bytes = [0x78, 0x9C, 0x01] + Self.item + [7]
        let plain = try body(bytes, yaml, type: "application/x-protobuf")
        #expect(!GRPCBodies.holds(plain, Self.secret))
        var full = exchange(type: "application/grpc")
        full.request.target = "/shop.v1.Orders/Get"
        full.request.fields.append(name: "Content-Encoding", value: "gzip")
        full.request.body = Body(bytes: GRPCBodies.frame(Self.item), size: nil, coding: "gzip")
        #expect(!GRPCBodies.holds(try redact(full, yaml).request.body.bytes, Self.secret))
    }

    @Test func detectorsSearchWhatOnlyLooksCompressed() throws {
        let token = Array("SK-A1B2C3D4E5F6G7H8".utf8)
        let yaml = "{preset: none, detectors: standard}"
        let bytes: [UInt8] = [0x1F, 0x8B, 8, 0] + token
        let found = try body(bytes, yaml, type: "application/octet-stream")
        #expect(!GRPCBodies.holds(found, token))
    }

    @Test(arguments: [named, withoutPreset])
    func messagesThatAreAlsoJSONAreReadAsBoth(yaml: String) throws {
        var text = "\n{\"q\":\"hunter2hunter2"
        text += String(repeating: "x", count: 125 - text.utf8.count - 2) + "\"}"
        let bytes = Array(text.utf8)
        let isMessage = ProtobufReader.reads(bytes.span, 0..<bytes.count)
        #expect(isMessage)
        let found = try body(GRPCBodies.frame(bytes), yaml, type: "application/grpc+json")
        #expect(!GRPCBodies.holds(found, Self.secret))
    }
}
