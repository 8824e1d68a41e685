// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineJSON
import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@testable import RedactStage

/// A reader who knows all notations finds none of the secrets in random messages of random types.
@Suite struct HostileGRPCTests {
    /// The types are the same in each test.
    private let types = HostileMessages(seed: 1)
    private static let withPreset = prepared { "descriptors: \($0)" }
    private static let withoutPreset = prepared { path in
        let names = HostileMessages.secretNames.joined(separator: ", ")
        return "{preset: none, json: [\(names)], descriptors: \(path)}"
    }

    /// Returns options that name a file with the descriptors, which are read once.
    private static func prepared(_ options: (String) -> String) -> String {
        guard let folder = try? TemporaryFolder(),
            let path = try? folder.write(HostileMessages(seed: 1).descriptors, to: "hostile.binpb")
        else { return "" }
        let yaml = options(path)
        _ = withExtendedLifetime(folder) { try? redact(RedactStageTests.exchange(), yaml) }
        return yaml
    }

    private enum Form: CaseIterable {
        case protobuf, grpc, web, webText, messages
    }

    /// Returns a call with messages in both directions, and with content types that may name wrong
    /// types of messages.
    private func exchange(
        _ hostile: inout HostileMessages,
        _ form: Form,
        looksLikeJSON: Bool = false
    ) throws -> Exchange {
        let method = hostile.below(30)
        let coding = [ContentCoding.identity, .gzip, .deflate, .zstd][hostile.below(4)]
        let parameter = ["", "; proto=h.M\(hostile.below(30))", "; messageType=\"h.Pair\""]
        let names = ["protobuf", "grpc", "grpc-web+proto", "grpc-web-text", "grpc"]
        let name = names[Form.allCases.firstIndex(of: form) ?? 0]
        let fields: FieldSection = [
            "Content-Type": "application/\(name)\(parameter[hostile.below(3)])",
            "grpc-encoding": coding.name,
        ]
        var full = RedactStageTests.exchange(target: "/h.S/Call\(method)", fields: fields)
        full.response = Response(fields: fields)
        for direction in [StreamMessage.Direction.up, .down] {
            let type = direction == .up ? method : HostileMessages.answer(to: method)
            let count = form == .protobuf ? 1 : 1 + hostile.below(4)
            let start = looksLikeJSON ? hostile.likeJSON() : []
            let messages = (0..<count).map { _ in start + hostile.message(type) }
            if form == .messages {
                full.messages += messages.map { captured($0, direction, &hostile) }
                continue
            }
            let body = try body(of: messages, form, coding, &hostile)
            if direction == .up { full.request.body = body } else { full.response?.body = body }
        }
        return full
    }

    private func captured(
        _ bytes: [UInt8],
        _ direction: StreamMessage.Direction,
        _ hostile: inout HostileMessages
    ) -> StreamMessage {
        let cut = hostile.below(3) == 0 ? hostile.below(bytes.count + 1) : bytes.count
        return StreamMessage(
            direction: direction,
            type: "grpc",
            bytes: Array(bytes.prefix(cut)),
            isTruncated: cut < bytes.count
        )
    }

    /// Returns a body that may be cut or damaged.
    private func body(
        of messages: [[UInt8]],
        _ form: Form,
        _ coding: ContentCoding,
        _ hostile: inout HostileMessages
    ) throws -> Body {
        var body = form == .protobuf ? messages[0] : []
        for message in messages where form != .protobuf {
            let isCoded = coding != .identity && hostile.below(3) > 0
            var content = isCoded ? try GRPCBodies.coded(message, coding) : message
            if isCoded, hostile.below(5) == 0 { content.removeLast() }
            body += GRPCBodies.frame(content, flags: isCoded ? 1 : 0)
            switch hostile.below(20) {
            case 0: body.append(0xFF)
            case 1: body += [0, 0xFF, 0xFF, 0xFF, 0xFF]
            case 2 where form != .grpc:
                body += GRPCBodies.frame(Array("grpc-status: 5\r\n".utf8), flags: 0x80)
            default: break
            }
        }
        if form == .webText { body = GRPCBodies.base64(body) }
        let isCut = hostile.below(3) == 0
        if isCut { body = Array(body.prefix(hostile.below(body.count + 1))) }
        if !isCut, hostile.below(6) == 0 { body.append(0xFF) }
        return Body(bytes: body, size: nil, isTruncated: isCut)
    }

    /// Returns everything that can be read from a record: the bytes, without base64, and without
    /// the compression of messages.
    private func readable(_ exchange: Exchange) -> [[UInt8]] {
        var writer = JSONWriter()
        writer.exchange(exchange)
        var all = [Array(copying: writer.bytes)] + exchange.messages.map(\.bytes)
        let name = exchange.request.fields.first("grpc-encoding") ?? ByteString()
        let coding = ContentCoding(name: name.span)
        for body in [exchange.request.body.bytes, exchange.response?.body.bytes ?? []] {
            var decoder = GRPCWebText()
            var frames: [UInt8] = []
            _ = decoder.decode(body.span, appendingTo: &frames)
            all += [body, frames] + decoded(body, coding) + decoded(frames, coding)
        }
        return all
    }

    /// Returns what messages contain if they are compressed.
    private func decoded(_ body: [UInt8], _ coding: ContentCoding) -> [[UInt8]] {
        var all: [[UInt8]] = []
        var start = 0
        while start + 5 <= body.count {
            let length = body[start + 1...start + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = min(start + 5 + length, body.count)
            var decoded: [UInt8] = []
            let content = Array(body[start + 5..<end])
            if let decoder = try? ContentDecoder(coding) {
                // Keeps what was decoded before the end or a failure.
                try? decoder.decodeWhole(content.span, appendingTo: &decoded)
                all.append(decoded)
            }
            start = end
        }
        return all
    }

    private func check(
        _ planting: HostileMessages.Planting,
        _ yaml: String,
        _ seed: Int,
        looksLikeJSON: Bool = false
    ) throws {
        var hostile = types
        for form in Form.allCases {
            hostile.begin(planting, seed: seed)
            let full = try exchange(&hostile, form, looksLikeJSON: looksLikeJSON)
            let found = try redact(full, yaml)
            let search = SecretSearcher(hostile.secrets)
            for bytes in readable(found) {
                let survivors = search.found(in: bytes)
                #expect(survivors.isEmpty, "\(form) \(seed)")
            }
        }
    }

    private static let seeds = 0..<Rounds.count(8, long: 400)

    @Test func namesOfDescriptorsProtectEveryPlace() throws {
        for seed in Self.seeds { try check(.everywhere, Self.withPreset, seed) }
    }

    @Test func namesProtectWithoutAPreset() throws {
        for seed in Self.seeds { try check(.named, Self.withoutPreset, seed) }
    }

    @Test func nothingIsKeptWithoutDescriptors() throws {
        for seed in Self.seeds {
            try check(.everywhere, "{}", seed)
            try check(.everywhere, "{}", seed, looksLikeJSON: true)
        }
    }

    @Test func detectorsProtectWithoutDescriptors() throws {
        for seed in Self.seeds {
            try check(.detected, "{keep_types: ['*'], detectors: standard}", seed)
            try check(.detected, "{preset: none, detectors: standard}", seed)
        }
    }

    @Test func strictKeepsNothing() throws {
        for seed in Self.seeds { try check(.everywhere, "preset: strict", seed) }
    }

    @Test func secretsArePlantedInEveryForm() throws {
        var hostile = types
        for form in Form.allCases {
            var count = 0
            for seed in Self.seeds {
                hostile.begin(.everywhere, seed: seed)
                let full = try exchange(&hostile, form)
                let search = SecretSearcher(hostile.secrets)
                count += Set(readable(full).flatMap { search.found(in: $0) }).count
            }
            #expect(count > 5, "\(form)")
        }
    }
}

/// Finds secrets by their first eight bytes, since a part of a secret is one, too.
private struct SecretSearcher {
    private let words: Set<UInt64>
    /// The bytes with which a word begins.
    private var beginnings = [Bool](repeating: false, count: 256)

    init(_ secrets: [[UInt8]]) {
        words = Set(secrets.map { $0.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } })
        for secret in secrets { beginnings[Int(secret[0])] = true }
    }

    func found(in bytes: [UInt8]) -> [String] {
        var found: [String] = []
        var window: UInt64 = 0
        for byte in bytes {
            window = window << 8 | UInt64(byte)
            guard beginnings[Int(window >> 56)], words.contains(window) else { continue }
            let word = stride(from: 56, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: window >> UInt64($0))
            }
            found.append(String(decoding: word, as: UTF8.self))
        }
        return found
    }
}
