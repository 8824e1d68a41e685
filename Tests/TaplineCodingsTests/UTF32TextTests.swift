// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCodings

@Suite struct UTF32TextTests {
    private func written(_ text: String, big: Bool, mark: Bool) -> [UInt8] {
        var output: [UInt8] = []
        UTF32Text.encode(
            text.utf8.span,
            UTF32Form(isBigEndian: big, hasMark: mark),
            appendingTo: &output
        )
        return output
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func decodingReversesEncoding(big: Bool, mark: Bool) throws {
        let text = #"{"password": "söcret 😀"}"#
        let bytes = written(text, big: big, mark: mark)
        #expect(bytes.count == 4 * (text.unicodeScalars.count + (mark ? 1 : 0)))
        let found = UTF32Text.form(of: bytes.span)
        let form = try #require(found)
        #expect(form == UTF32Form(isBigEndian: big, hasMark: mark))
        var decoded: [UInt8] = []
        let isRead = UTF32Text.decode(bytes.span, form, appendingTo: &decoded)
        #expect(isRead)
        #expect(decoded == Array(text.utf8))
        #expect(EmbeddedFinder().wholeForm(of: bytes.span)?.name == "utf-32")
    }

    private func form(_ bytes: [UInt8]) -> UTF32Form? { UTF32Text.form(of: bytes.span) }

    @Test func otherBytesAreRejected() {
        #expect(form([0xFF, 0xFE, 0x61, 0]) == nil)
        #expect(form([UInt8](repeating: 0, count: 64)) == nil)
        #expect(form(Array("plain text of letters".utf8)) == nil)
        var output: [UInt8] = []
        for bytes: [UInt8] in [[0, 0, 0], [0, 0, 0, 0x7F]] {
            let isRead = UTF32Text.decode(bytes.span, UTF32Form(), appendingTo: &output)
            #expect(!isRead)
        }
        // A gRPC frame begins with a big-endian length.
        let frame = [0, 0, 0, 0, 11] + Array("\n\tsome text".utf8)
        #expect(form(frame) == nil)
    }

    @Test func theCharsetNameDeterminesTheByteOrder() {
        let text = written("密码", big: false, mark: false)
        let finder = EmbeddedFinder()
        for (label, big) in [("utf-32le", false), ("UTF-32", true), ("utf-32be", true)] {
            let form = finder.form(charset: label.utf8.span, of: text.span)
            #expect(form?.kind == .utf32(UTF32Form(isBigEndian: big)))
        }
        #expect(finder.form(charset: "utf-8".utf8.span, of: text.span) == nil)
    }
}
