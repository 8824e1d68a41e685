// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@testable import RedactStage

/// Secrets in protobuf and gRPC do not survive, and what remains is still readable.
@Suite struct ProtobufBodyTests {
    private static let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
    private static let named = "descriptors: \(fixtures)/shop.binpb"
    private static let kept = "{keep_types: ['*'], detectors: standard}"
    /// A token that a detector of these tests finds.
    private static let token = "SK-A1B2C3D4E5F6G7H8"

    private func message(_ parts: (Int, [UInt8])...) -> [UInt8] {
        var bytes: [UInt8] = []
        for (number, content) in parts {
            ProtobufWriter.append(number, content.span, to: &bytes)
        }
        return bytes
    }

    private func word(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func frame(_ bytes: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) }
            + bytes
    }

    private func redactedBody(
        _ type: String,
        _ bytes: [UInt8],
        _ yaml: String,
        target: String = "/shop.v1.Orders/Put",
        encoding: String = ""
    ) throws -> [UInt8] {
        var full = exchange(type: type)
        full.request.target = ByteString(target)
        if !encoding.isEmpty { full.request.fields.append(name: "grpc-encoding", value: encoding) }
        full.request.body = Body(bytes)
        return try redact(full, yaml).request.body.bytes
    }

    private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        var found = false
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return false }
        for start in 0...bytes.count - wanted.count
        where Array(bytes[start..<start + wanted.count]) == wanted { found = true }
        return found
    }

    @Test func namesOfDescriptorsApplyTheRules() throws {
        let order = try TestFiles.bytes(of: "\(Self.fixtures)/order.binpb")
        let type = "application/x-protobuf; messageType=\"shop.v1.Order\""
        let found = try redactedBody(type, order, Self.named)
        let descriptors = try TestFiles.bytes(of: "\(Self.fixtures)/shop.binpb")
        let schema = try ProtobufSchema(descriptors.span)
        var view = ProtobufView(schema)
        let index = schema.message(named: "shop.v1.Order")
        let expected = String(decoding: view.json(order.span, as: index), as: UTF8.self)
        let json = String(decoding: view.json(found.span, as: index), as: UTF8.self)
        // Bytes that are neither text nor a message are masked too: `Af8=`.
        let masked = expected.replacing("hunter2", with: "[redacted]")
        #expect(json == masked.replacing("Af8=", with: "W3JlZGFjdGVkXQ=="))
        #expect(found != order)
    }

    @Test func typesOfGRPCAreThoseOfTheMethod() throws {
        let item = message((1, word("secret-sku")))
        let yaml = "{\(Self.named), json: [sku]}"
        let body = frame(item) + frame(message((1, word("b"))))
        let target = "/shop.v1.Orders/Get"
        let found = try redactedBody("application/grpc", body, yaml, target: target)
        let masked = frame(message((1, word("[redacted]"))))
        #expect(found == masked + masked)
    }

    @Test func aMapIsRedactedByItsKeys() throws {
        let entry = message((1, word("password")), (2, word("hunter2")))
        let harmless = message((1, word("colour")), (2, word("red")))
        let found = try redactedBody(
            "application/protobuf",
            message((9, entry), (9, harmless)),
            Self.kept
        )
        let masked = message((1, word("password")), (2, word("[redacted]")))
        #expect(found == message((9, masked), (9, harmless)))
    }

    @Test func aMessageWithoutNamesIsMaskedUnlessItsTypeIsKept() throws {
        let body = message((1, word("hunter2")))
        #expect(try redactedBody("application/protobuf", body, "{}") == word("[redacted]"))
        #expect(try redactedBody("application/grpc", frame(body), "{}") == word("[redacted]"))
        #expect(try redactedBody("application/protobuf", body, Self.kept) == body)
        #expect(try redactedBody("application/grpc", frame(body), Self.kept) == frame(body))
    }

    @Test func anUnknownFieldOfAKnownTypeIsMasked() throws {
        let type = "application/protobuf; proto=shop.v1.Item"
        let body = message((1, word("a")), (77, word("hunter2")))
        let found = try redactedBody(type, body, Self.named)
        #expect(found == message((1, word("a")), (77, word("[redacted]"))))
    }

    private static let order = "application/protobuf; proto=shop.v1.Order"

    @Test func aFieldInTheWireTypeOfAnotherTypeIsMasked() throws {
        // An enum that is sent as a group has no names.
        var body: [UInt8] = []
        ProtobufWriter.append(tag: 6, .group, to: &body)
        body += message((1, word("hunter2")))
        ProtobufWriter.append(tag: 6, .endOfGroup, to: &body)
        #expect(!holds(try redactedBody(Self.order, body, Self.named), "hunter2"))
    }

    @Test func aMessageInBytesIsMaskedEvenIfItLooksLikeText() throws {
        for count in 1...140 {
            let secret = String(repeating: "q", count: count) + "!"
            let body = message((12, message((1, word(secret)))))
            #expect(!holds(try redactedBody(Self.order, body, Self.named), secret), "\(count)")
        }
    }

    private func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    @Test func detectorsFindPackedAndSignedNumbers() throws {
        let card: UInt64 = 4_111_111_111_111_111
        let yaml = "{\(Self.named), detectors: standard}"
        let packed = message((3, varint(7) + varint(card)), (1, word("a")))
        let item = "application/protobuf; proto=shop.v1.Item"
        #expect(try redactedBody(item, packed, yaml) == message((1, word("a"))))
        let signed = varint(23 << 3) + varint(card << 1)
        #expect(try redactedBody(Self.order, signed, yaml) == [])
        let harmless = message((3, varint(7) + varint(8)))
        #expect(try redactedBody(item, harmless, yaml) == harmless)
    }

    /// Each place of a token, without descriptors.
    private func hostile() throws -> [[UInt8]] {
        let token = word(Self.token)
        let nested = message((1, message((2, message((3, token))))))
        let base64 = word("dG9rZW46") + word(Base64.text(token))
        var group: [UInt8] = []
        ProtobufWriter.append(tag: 5, .group, to: &group)
        group += message((1, token))
        ProtobufWriter.append(tag: 5, .endOfGroup, to: &group)
        return [
            message((1, token)), nested, message((1, [0, 1] + token)), group,
            message((1, word("Authorization: Bearer ") + token)), message((7, base64)),
            message((1, message((1, word("k")), (2, token)))),
            // Its text is also a message with one field.
            message((1, message((1, token)))), message((1, word(#"{"t":"\#(Self.token)"}"#))),
            // Damaged after the secret.
            message((1, token)) + [0xFF], token,
            message((3, Array(nested.reversed()) + token)),
        ]
    }

    @Test func detectorsReachEveryPlaceWithoutDescriptors() throws {
        for (index, body) in try hostile().enumerated() {
            for yaml in [Self.kept, "{preset: none, detectors: standard}"] {
                let found = try redactedBody("application/x-protobuf", body, yaml)
                #expect(!holds(found, Self.token), "\(index) \(yaml)")
                #expect(!holds(found, Base64.text(word(Self.token))), "\(index) \(yaml)")
                let framed = try redactedBody("application/grpc", frame(body), yaml)
                #expect(!holds(framed, Self.token), "\(index) \(yaml)")
                #expect(framed[0] == 0 || framed[0] == 0x5B)
            }
        }
    }

    @Test func lengthsOfEnclosingFieldsAreRebuilt() throws {
        let token = word(Self.token)
        let body = message((1, message((2, message((3, token), (4, word("xy")))))), (5, word("y")))
        let found = try redactedBody("application/protobuf", body, Self.kept)
        let inner = message((3, word("[redacted]")), (4, word("xy")))
        #expect(found == message((1, message((2, inner))), (5, word("y"))))
    }

    @Test(arguments: [ContentCoding.gzip, .deflate, .zstd])
    func anEditedCompressedMessageIsStoredUncompressed(coding: ContentCoding) throws {
        let clean = try coded(message((1, word("clean"))), coding)
        let dirty = try coded(message((1, word(Self.token))), coding)
        let body = frame(clean, flags: 1) + frame(dirty, flags: 1)
        let found = try redactedBody("application/grpc", body, Self.kept, encoding: coding.name)
        #expect(found == frame(clean, flags: 1) + frame(message((1, word("[redacted]")))))
        let other = try redactedBody("application/grpc", body, Self.kept, encoding: "x-own")
        #expect(other == frame(word("[redacted]")) + frame(word("[redacted]")))
    }

    @Test func aMessageThatIsCutLosesItsLastField() throws {
        var full = exchange(type: "application/grpc")
        let bytes = message((1, word("clean")), (2, word(Self.token)))
        full.messages = [
            StreamMessage(
                direction: .up,
                type: "grpc",
                bytes: Array(bytes.dropLast(3)),
                isTruncated: true
            )
        ]
        let found = try redact(full, Self.kept).messages
        #expect(found.first?.bytes == message((1, word("clean"))))
    }

    @Test func messagesOfStreamsAreRedacted() throws {
        var full = exchange(type: "application/grpc")
        full.request.target = "/shop.v1.Orders/Get"
        full.response = Response(fields: ["Content-Type": "application/grpc"])
        full.messages = [
            StreamMessage(direction: .up, type: "grpc", bytes: message((1, word("sku")))),
            StreamMessage(direction: .down, type: "grpc", bytes: message((8, word("hunter2")))),
        ]
        let found = try redact(full, Self.named).messages
        #expect(found[0].bytes == message((1, word("sku"))))
        #expect(found[1].bytes == message((8, word("[redacted]"))))
        #expect(try redact(full, "{}").messages.allSatisfy { $0.bytes == word("[redacted]") })
    }

    @Test func aSecretThatIsSplitOverMessagesIsRedacted() throws {
        // The pieces of a file: a number, and bytes of the file.
        let pieces = [word("a SK-A1"), word("B2C3D4E5"), word("F6 b")].enumerated().map {
            index,
            part in
            message((3, message((1, [UInt8](repeating: 0x61, count: index)), (2, part))))
        }
        let type = "application/grpc"
        let body = pieces.flatMap { frame($0) }
        let found = try redactedBody(type, body, Self.kept)
        let clean = [word("a [redacted]"), [], word(" b")].enumerated().map { index, part in
            message((3, message((1, [UInt8](repeating: 0x61, count: index)), (2, part))))
        }
        #expect(found == clean.flatMap { frame($0) })
        var full = exchange(type: type)
        full.messages = pieces.map { StreamMessage(direction: .up, type: "grpc", bytes: $0) }
        #expect(try redact(full, Self.kept).messages.map(\.bytes) == clean)
    }

    @Test func manyCompressedMessagesAreDecodedUpToTheLimit() throws {
        let content = try coded(message((1, [UInt8](repeating: 0x61, count: 60_000))), .gzip)
        let body = [[UInt8]](repeating: frame(content, flags: 1), count: 5).flatMap { $0 }
        let yaml = "{keep_types: ['*'], max_decoded_bytes: 128KiB}"
        let found = try redactedBody("application/grpc", body, yaml, encoding: "gzip")
        let masked = frame(word("[redacted]"))
        #expect(found.count == 2 * frame(content).count + 3 * masked.count)
        #expect(Array(found.suffix(masked.count)) == masked)
    }

    @Test func compressedDataThatIsDeclaredAsMessagesIsRead() throws {
        for type in ["application/protobuf", "application/grpc"] {
            let content = message((1, word(Self.token)))
            let body = type.hasSuffix("grpc") ? frame(content) : content
            let found = try redactedBody(type, try coded(body, .gzip), Self.kept)
            let clean = message((1, word("[redacted]")))
            let expected = type.hasSuffix("grpc") ? frame(clean) : clean
            let decoded = try ContentCoding.gzip.decode(found.span)
            #expect(decoded == expected)
        }
    }

    @Test func metadataIsRedacted() throws {
        var full = exchange(type: "application/grpc")
        let percent = Self.token.replacing("-", with: "%2D")
        let status = message((1, [8, 5]), (2, word(Self.token)))
        full.response = Response(fields: ["Content-Type": "application/grpc"])
        full.response?.trailers = [
            "grpc-status": "5", "grpc-message": "no token \(percent)",
            "grpc-status-details-bin": Base64.text(status).replacing("=", with: ""),
        ]
        full.tags = ["grpc.message": "no token \(Self.token)", "grpc.status": "NOT_FOUND"]
        let found = try redact(full, "{detectors: standard}")
        let trailers = try #require(found.response?.trailers)
        #expect(trailers.first("grpc-status") == "5")
        #expect(found.tags["grpc.status"] == "NOT_FOUND")
        let text = trailers.first("grpc-message").map { GRPCCall.decoded($0.span) }
        #expect(text == "no token [redacted]")
        let details = try #require(trailers.first("grpc-status-details-bin"))
        #expect("\(details)" == Base64.text(message((1, [8, 5]), (2, word("[redacted]")))))
        #expect(found.tags["grpc.message"] == "no token [redacted]")
        let other = try redact(exchange(fields: ["x-note-bin": "password=hunter2"])).request.fields
        #expect(other.first("x-note-bin") == "password=[redacted]")
    }

    @Test func theTrailersOfGRPCWebAreRedacted() throws {
        let lines = word(
            "grpc-status: 5\r\ngrpc-message: \(Self.token.replacing("-", with: "%2d"))\r\n"
        )
        let body = frame(message((1, word("a")))) + frame(lines, flags: 0x80)
        let found = try redactedBody("application/grpc-web+proto", body, Self.kept)
        let clean = word("grpc-status: 5\r\ngrpc-message: %5Bredacted%5D\r\n")
        #expect(found == frame(message((1, word("a")))) + frame(clean, flags: 0x80))
        let text = word(Base64.text(body))
        let inText = try redactedBody("application/grpc-web-text", text, Self.kept)
        #expect(inText == word(Base64.text(found)))
    }

    @Test func strictMasksWhatHasNoNames() throws {
        let body = message((1, word("hunter2")))
        let found = try redactedBody("application/protobuf", body, "preset: strict")
        #expect(!holds(found, "hunter2"))
        let framed = try redactedBody("application/grpc", frame(body), "preset: strict")
        #expect(!holds(framed, "hunter2"))
    }

    private func coded(_ bytes: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        var output: [UInt8] = []
        try ContentEncoder(coding).encodeWhole(bytes.span, appendingTo: &output)
        return output
    }
}

private enum Base64 {
    static func text(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        GRPCWebText.encode(bytes.span, appendingTo: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
