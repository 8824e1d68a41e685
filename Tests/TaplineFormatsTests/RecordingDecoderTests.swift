// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import Testing

@Suite("Files that may be compressed")
struct RecordingDecoderTests {
    /// The decoded bytes of a file, and the error that ended them.
    private struct Decoded: Equatable {
        var bytes: [UInt8] = []
        var failure: RecordError?

        init(_ chunks: [[UInt8]]) throws {
            let decoder = RecordingDecoder()
            var bytes: [UInt8] = []
            for chunk in chunks where failure == nil {
                failure = try decoder.read(chunk.span) { bytes.append(copying: $0) }
            }
            if failure == nil { failure = try decoder.finish { bytes.append(copying: $0) } }
            #expect(decoder.byteCount == bytes.count)
            self.bytes = bytes
        }
    }

    private static let plain = Array((0..<100).map { "line \($0)\n" }.joined().utf8)

    private func encoded(_ coding: ContentCoding?) throws -> [UInt8] {
        guard let coding else { return Self.plain }
        var coded: [UInt8] = []
        try ContentEncoder(coding).encodeWhole(Self.plain.span, appendingTo: &coded)
        return coded
    }

    @Test("are the same in any chunks", arguments: [nil, ContentCoding.gzip, .deflate, .zstd])
    func chunks(coding: ContentCoding?) throws {
        let file = try encoded(coding)
        let whole = try Decoded([file])
        #expect(whole.bytes == Self.plain && whole.failure == nil)
        #expect(try Decoded(file.map { [$0] }) == whole)
        for cut in file.indices {
            #expect(try Decoded([Array(file[..<cut]), Array(file[cut...])]) == whole)
        }
    }

    @Test("are read up to their damage", arguments: [ContentCoding.gzip, .zstd])
    func damage(coding: ContentCoding) throws {
        let file = try encoded(coding)
        let cut = try Decoded([Array(file.dropLast(5))])
        #expect(cut.failure?.code == .cutOff && Self.plain.starts(with: cut.bytes))
        let damaged = try Decoded([file + [7, 7, 7, 7, 7]])
        #expect(damaged.bytes == Self.plain && damaged.failure?.code == .coding)
        #expect(damaged.failure?.byte == Self.plain.count)
    }

    @Test("are passed on as they are if they are short", arguments: ["", "{}", "x"])
    func short(text: String) throws {
        let decoded = try Decoded([Array(text.utf8)])
        #expect(decoded.bytes == Array(text.utf8) && decoded.failure == nil)
    }

    @Test("end with the error of the receiver")
    func receiver() {
        let error = RecordError(code: .tooLarge, message: "too large", byte: 3)
        let decoder = RecordingDecoder()
        #expect(throws: error) {
            _ = try decoder.read(Self.plain.span) { _ throws(RecordError) in throw error }
        }
    }
}
