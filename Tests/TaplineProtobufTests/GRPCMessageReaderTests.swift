// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplineProtobuf
import TestSupport
import Testing

@Suite struct GRPCMessageReaderTests {
    static func frame(_ bytes: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) }
            + bytes
    }

    static func compressed(_ text: String, _ coding: ContentCoding) throws -> [UInt8] {
        frame(try ContentEncoder(coding).encodedWhole(Array(text.utf8)), flags: 1)
    }

    /// Reads content in pieces of a size.
    private func read(
        _ content: [UInt8],
        by size: Int,
        _ coding: ContentCoding = .identity,
        hasTrailers: Bool = false,
        keeps: Int = 1 << 20
    ) -> (messages: [GRPCMessage], problem: GRPCProblem?) {
        var reader = GRPCMessageReader(coding: coding, hasTrailers: hasTrailers, keeps: keeps)
        var messages: [GRPCMessage] = []
        for start in stride(from: 0, to: content.count, by: size) {
            let piece = Array(content[start..<min(start + size, content.count)])
            var consumed = 0
            while consumed < piece.count {
                let step = reader.next(piece.span.extracting(consumed..<piece.count))
                consumed += step.consumed
                if let message = step.message { messages.append(message) }
            }
        }
        if let last = reader.end() { messages.append(last) }
        return (messages, reader.problem)
    }

    private func texts(_ messages: [GRPCMessage]) -> [String] {
        messages.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: [ContentCoding.gzip, .deflate, .zstd])
    func messagesAreTheSameInPiecesOfAnySize(coding: ContentCoding) throws {
        let long = String(repeating: "long ", count: 3_000)
        let content =
            Self.frame(Array("one".utf8)) + Self.frame([]) + (try Self.compressed(long, coding))
            + (try Self.compressed("", coding)) + Self.frame(Array("last".utf8))
        for size in [1, 2, 3, 7, 64, content.count] {
            let (messages, problem) = read(content, by: size, coding)
            #expect(texts(messages) == ["one", "", long, "", "last"])
            #expect(messages.map(\.isCompressed) == [false, false, true, true, false])
            #expect(messages.allSatisfy { !$0.isTruncated } && problem == nil)
            #expect(messages[2].wireSize < 1_000 && messages[0].wireSize == 3)
        }
    }

    @Test func onlyWhatIsKeptIsDecoded() throws {
        let bomb = try Self.compressed(String(repeating: "a", count: 5 << 20), .gzip)
        let content = bomb + Self.frame(Array("next one".utf8))
        let (messages, problem) = read(content, by: 1_000, .gzip, keeps: 4)
        #expect(texts(messages) == ["aaaa", "next"])
        #expect(messages.allSatisfy { $0.isTruncated } && problem == nil)
    }

    @Test(
        arguments: [
            ([2, 0, 0, 0, 0], ContentCoding.gzip, "invalid_frame"),
            ([0x80, 0, 0, 0, 0], .gzip, "invalid_frame"),
            (Array("<html>".utf8), .gzip, "invalid_frame"),
            ([1, 0, 0, 0, 1, 0], .identity, "unknown_encoding"),
            ([1, 0, 0, 0, 1, 0], .unknown, "unknown_encoding"),
            ([1, 0, 0, 0, 2, 0, 0], .gzip, "invalid_compression"),
            ([1, 0, 0, 0, 2, 0x1F, 0x8B], .gzip, "invalid_compression"),
            ([0, 0, 0, 0], .gzip, "truncated"), ([0, 0, 0, 0, 2, 1], .gzip, "truncated"),
            ([0, 0xFF, 0xFF, 0xFF, 0xFF, 1], .gzip, "truncated"),
        ] as [([UInt8], ContentCoding, String)]
    )
    func damagedContentIsAProblem(bytes: [UInt8], coding: ContentCoding, problem: String) {
        let first = Self.frame(Array("ok".utf8))
        for size in [1, 100] {
            let (messages, found) = read(first + bytes, by: size, coding)
            #expect(messages.first?.bytes == Array("ok".utf8))
            let rest = messages.dropFirst().allSatisfy { $0.isTruncated }
            #expect(rest)
            #expect(found?.name == problem)
        }
    }

    @Test(arguments: [
        (ContentCoding.gzip, "invalid_compression"), (.identity, "unknown_encoding"),
    ])
    func aDamagedMessageDoesNotAffectTheNext(coding: ContentCoding, problem: String) throws {
        let damaged = Self.frame(Array("no compressed data".utf8), flags: 1)
        var content = Self.frame(Array("one".utf8)) + damaged + Self.frame(Array("two".utf8))
        if coding == .gzip { content += try Self.compressed("three", .gzip) + damaged }
        for size in [1, 7, content.count] {
            let (messages, found) = read(content, by: size, coding)
            let whole = messages.filter { !$0.isTruncated }
            #expect(texts(whole) == (coding == .gzip ? ["one", "two", "three"] : ["one", "two"]))
            #expect(messages.count == (coding == .gzip ? 5 : 3))
            let damaged = messages.filter { $0.problem != nil }
            #expect(damaged.allSatisfy { $0.wireSize == 18 && $0.isTruncated })
            #expect(damaged.count == (coding == .gzip ? 2 : 1))
            #expect(found?.name == problem)
        }
    }

    @Test func nothingIsReadAfterTheTrailersOfGRPCWeb() {
        let trailers = Self.frame([UInt8](repeating: 0x61, count: 1_000), flags: 0x80)
        let content = Self.frame([8, 1]) + trailers
        let more = [trailers, Self.frame([8, 2]), [0], Array("text".utf8)]
        for rest in more {
            for size in [1, 5, content.count, content.count + rest.count] {
                let (messages, problem) = read(content + rest, by: size, hasTrailers: true)
                #expect(messages.map(\.isTrailers) == [false, true])
                #expect(problem?.name == "data_after_trailers")
            }
        }
    }

    @Test func theTrailersOfGRPCWebAreTheLastMessage() {
        let trailers = Array("grpc-status: 5\r\ngrpc-message: no%20order\r\n".utf8)
        let content = Self.frame([8, 1]) + Self.frame(trailers, flags: 0x80)
        for size in [1, 5, content.count] {
            let (messages, problem) = read(content, by: size, hasTrailers: true)
            #expect(messages.map(\.isTrailers) == [false, true] && problem == nil)
            #expect(messages.last?.bytes == trailers)
        }
    }
}

extension ContentEncoder {
    func encodedWhole(_ bytes: [UInt8]) throws -> [UInt8] {
        var output: [UInt8] = []
        try encodeWhole(bytes.span, appendingTo: &output)
        return output
    }
}

@Suite struct GRPCWebTextTests {
    private func decoded(_ text: String, by size: Int) -> String? {
        var decoder = GRPCWebText()
        var output: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            guard decoder.decode(Array(piece).span, appendingTo: &output) else { return nil }
        }
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 100])
    func piecesWithTheirOwnPaddingAreDecoded(size: Int) {
        #expect(decoded("aGVsbG8=IHdvcmxk", by: size) == "hello world")
        #expect(decoded("aA==\r\naQ==", by: size) == "hi")
        #expect(decoded("a===", by: size) == nil)
        #expect(decoded("aA=a", by: size) == nil)
        #expect(decoded("aG!s", by: size) == nil)
    }
}
