// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@Suite("The captured part of a body")
struct BodyCaptureTests {
    /// Grants bytes up to a limit.
    private final class Memory: CaptureMemory {
        private let limit: Int
        private(set) var held = 0

        init(_ limit: Int = .max) { self.limit = limit }

        func hold(_ count: Int) -> Bool {
            guard count <= limit - held else { return false }
            held += count
            return true
        }

        func release(_ count: Int) { held -= count }
    }

    private func capture(
        _ pieces: String...,
        upTo limit: Int = 100,
        in memory: Memory = Memory()
    ) -> BodyCapture {
        var capture = BodyCapture()
        for piece in pieces { capture.append(piece.utf8.span, upTo: limit, memory) }
        return capture
    }

    @Test("is all of it if it fits")
    func fits() {
        let memory = Memory()
        let capture = capture("hello, ", "world", upTo: 12, in: memory)
        #expect(capture.bytes == Array("hello, world".utf8))
        #expect(capture.size == 12 && !capture.isTruncated && memory.held == 12)
    }

    @Test("ends at the limit, even if a later piece is short", arguments: [0, 5, 8])
    func limit(limit: Int) {
        let memory = Memory()
        let capture = capture("hello, ", "world", "!", upTo: limit, in: memory)
        #expect(capture.bytes == Array("hello, world!".utf8.prefix(limit)))
        #expect(capture.size == 13 && capture.isTruncated && memory.held == limit)
    }

    @Test("ends where there is no memory, and needs none after that")
    func noMemory() {
        let memory = Memory(8)
        // There would be room for the last piece, but the bytes before it are missing.
        let capture = capture("hello, ", "world", "!", in: memory)
        #expect(capture.bytes == Array("hello, ".utf8))
        #expect(capture.size == 13 && capture.isTruncated && memory.held == 7)
    }

    @Test("ends where bytes are skipped")
    func skipped() {
        let memory = Memory()
        var capture = capture("hello", in: memory)
        capture.skip(0)
        #expect(!capture.isTruncated)
        capture.skip(3)
        capture.append("!".utf8.span, upTo: 100, memory)
        #expect(capture.bytes == Array("hello".utf8))
        #expect(capture.size == 9 && capture.isTruncated)
    }

    @Test("releases its memory once")
    func release() {
        let memory = Memory()
        var capture = capture("hello", in: memory)
        capture.release(memory)
        #expect(memory.held == 0 && capture.bytes.isEmpty && capture.size == 0)
        capture.release(memory)
        #expect(memory.held == 0)
    }

    @Test("becomes a body with the coding of its message, or without one if it is decoded")
    func body() {
        let fields: FieldSection = ["Content-Encoding": "gzip"]
        let whole = capture("hello")
        let coded = whole.body(fields, isCut: false)
        #expect(coded.coding == "gzip" && coded.size == 5 && !coded.isTruncated)
        #expect(whole.body(fields, isCut: true).isTruncated)
        let decoded = whole.decodedBody(isCut: false)
        #expect(decoded.coding == "" && decoded.bytes == Array("hello".utf8))
        #expect(capture("hello", upTo: 2).decodedBody(isCut: false).isTruncated)
    }
}
