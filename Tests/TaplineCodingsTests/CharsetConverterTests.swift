// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineCodings

@Suite struct CharsetConverterTests {
    private func converter(_ label: String) throws -> CharsetConverter {
        try #require(Charset(label: label.utf8.span).flatMap(CharsetConverter.init))
    }

    /// Letters of a language of each charset, repeated by the tests to span several marks.
    private static let samples = [
        ("iso-8859-1", "Größe café"), ("windows-1251", "пароль: да"), ("koi8-r", "пароль"),
        ("gbk", "密码：一\\二"), ("gb18030", "密码 😀 €"), ("big5", "許功蓋 密碼"),
        ("shift_jis", "表示ソ十パスワード"), ("euc-jp", "日本語テキスト"), ("euc-kr", "비밀번호"),
        ("euc-tw", "密碼"), ("ibm037", "Password {x}"), ("ibm1047", "a=[b]\u{85}"),
        ("ibm273", "Größe"), ("macintosh", "naïve"), ("iso-8859-15", "10 €"),
    ]

    @Test(arguments: samples)
    func positionsMapBackToTheSource(label: String, sample: String) throws {
        let converter = try converter(label)
        let text = Array(String(repeating: sample + "\n", count: 300).utf8)
        let source = try #require(converter.written(text))
        let decoded = try #require(converter.read(source))
        #expect(decoded.bytes == text)
        // Each character maps to its source position; positions within characters map to `nil`.
        var place = 0
        for scalar in String(decoding: text.prefix(4000), as: UTF8.self).unicodeScalars.dropLast() {
            let at = try #require(converter.place(place, decoded, source))
            #expect(converter.encode(text.span.extracting(0..<place))?.count == at)
            let length = UTF8.width(scalar)
            if length > 1 {
                #expect(converter.place(place + 1, decoded, source) == nil)
            }
            place += length
        }
        let end = converter.place(text.count, decoded, source)
        #expect(end == source.count)
        #expect(converter.place(text.count + 1, decoded, source) == nil)
    }

    @Test func invalidBytesAreReplaced() throws {
        let converter = try converter("gbk")
        let source =
            Array("a\"".utf8) + [0xFF] + Array("\"; b".utf8)
            + [UInt8](repeating: 0x20, count: 30) + [0x81]
        let text = try #require(converter.read(source))
        let expected = "a\"\u{FFFD}\"; b" + String(repeating: " ", count: 30) + "\u{FFFD}"
        #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
        #expect(converter.place(5, text, source) == 3)
        #expect(converter.place(text.bytes.count, text, source) == source.count)
        let random = (0..<400).map { $0 % 2 == 0 ? 0xFF : UInt8($0 % 64) }
        #expect(converter.read(random) == nil)
    }

    @Test func encodingFailsIfTheCharsetLacksACharacter() throws {
        #expect(try converter("iso-8859-1").written(Array("密".utf8)) == nil)
        #expect(try converter("gbk").written([0xFF, 0xFE]) == nil)
        #expect(try converter("gbk").written([]) == [])
        #expect(try converter("utf-7").written(Array("a".utf8)) == nil)
    }

    @Test func shiftStateCarriesOverBetweenPieces() throws {
        let converter = try converter("iso-2022-jp")
        let words = [UInt8](repeating: 0x46, count: 6000)
        let source = [0x1B, 0x24, 0x42] + words + [0x1B, 0x28, 0x42] + Array("end".utf8)
        let text = try #require(converter.read(source))
        #expect(String(decoding: text.bytes, as: UTF8.self).hasSuffix("end"))
        #expect(text.bytes.count == 3 * 3000 + 3)
        #expect(converter.place(3, text, source) == nil)
        #expect(converter.read([0x41, 0xFF]) == nil)
        // 3 bytes that shift, then characters of two bytes, the last of which is cut off.
        let cut = converter.decode(source.span.extracting(0..<1000))
        #expect(cut?.bytes.starts(with: text.bytes.prefix(3 * 498)) == true)
        let vietnamese = try self.converter("windows-1258").read([0x61, 0xEC])
        #expect(vietnamese.map { String(decoding: $0.bytes, as: UTF8.self) } == "á")
        let utf7 = try self.converter("utf-7").decode("pass+AHcAbwByAGQ-=x".utf8.span)
        #expect(utf7.map { String(decoding: $0.bytes, as: UTF8.self) } == "password=x")
    }

    @Test func convertersAreCached() throws {
        var table = CharsetConverters()
        let known = table.converter(.stateless("CP1251"))
        let first = try #require(known)
        let again = table.converter(.stateless("CP1251"))
        #expect(again === first)
        let none = table.converter(.unknown)
        #expect(none == nil)
        for number in 0..<100 { _ = table.converter(.stateless("IBM\(number)")) }
        let late = table.converter(.stateless("CP1251"))
        #expect(late === first)
    }

    /// Decodes arbitrary bytes: nothing traps, and decoded text encodes to the same bytes.
    @Test func arbitraryBytesAreDecoded() throws {
        var random = Random(seed: 42)
        for (label, _) in CharsetConverterTests.samples {
            let converter = try converter(label)
            for count in 0..<200 {
                let bytes = (0..<count).map { _ in random.byte() }
                guard let text = converter.decode(bytes.span) else { continue }
                let end = converter.source(of: text.bytes.count, in: text, from: bytes.span)
                #expect(end == nil || end == count, "\(label)")
                #expect(String(validating: text.bytes, as: UTF8.self) != nil)
            }
        }
    }
}

/// Wrappers with arrays, because the testing macros do not accept spans.
extension CharsetConverter {
    fileprivate func read(_ bytes: [UInt8]) -> CharsetText? { decode(bytes.span) }
    fileprivate func written(_ text: [UInt8]) -> [UInt8]? { encode(text.span) }
    fileprivate func place(_ place: Int, _ text: CharsetText, _ bytes: [UInt8]) -> Int? {
        source(of: place, in: text, from: bytes.span)
    }
}
