// SPDX-License-Identifier: MIT

import TaplineBytes
import Testing

@Suite struct BytesTests {
    private func decimal(_ text: String) -> Int? { text.utf8.span.decimal }

    @Test func decimalsAreReadOnlyIfTheyFit() {
        #expect(decimal("0") == 0)
        #expect(decimal("0042") == 42)
        #expect(decimal("9223372036854775807") == .max)
        #expect(decimal("9223372036854775808") == nil)
        #expect(decimal("99999999999999999999999") == nil)
        for text in ["", "-1", "+1", " 1", "1 ", "1x", "٣"] { #expect(decimal(text) == nil) }
    }

    @Test func blanksAreTrimmed() {
        let bytes = Array(" \ta b\t ".utf8)
        let trimmed = bytes.span.trimmed(0..<bytes.count)
        #expect(Array(bytes[trimmed]) == Array("a b".utf8))
        let blank = Array(" \t ".utf8)
        let nothing = blank.span.trimmed(0..<3)
        #expect(nothing.isEmpty)
    }

    @Test(arguments: UInt8.min...UInt8.max) func bytesAreClassified(byte: UInt8) {
        let scalar = Unicode.Scalar(byte)
        let character = scalar.isASCII ? Character(scalar) : "\u{80}"
        #expect(byte.hexDigit.map(Int.init) == character.hexDigitValue)
        #expect(byte.isDigit == character.isWholeNumber)
        #expect(byte.isLetter == character.isLetter)
        #expect(byte.isBlank == (byte == 0x20 || byte == 0x09))
        let isToken =
            character.isLetter || character.isWholeNumber || "!#$%&'*+-.^_`|~".contains(character)
        #expect(byte.isTokenByte == isToken)
        let lowercased = scalar.isASCII ? character.lowercased().utf8.first : byte
        #expect(byte.asciiLowercased == lowercased)
    }

    @Test func spansAreCopied() {
        let bytes = Array("AbZ[é".utf8)
        #expect(Array(copying: bytes.span) == bytes)
        #expect(Array(lowercasing: bytes.span) == Array("abz[é".utf8))
        var target = Array("12345678".utf8)
        target.append(copying: bytes.span.extracting(0..<2))
        #expect(target == Array("12345678Ab".utf8))
        target.overwrite(2..<6, with: bytes.span.extracting(0..<3))
        #expect(target == Array("12AbZ\0".utf8) + Array("78Ab".utf8))
        let output = [UInt8](capacity: 4) { output in
            output.append("ab")
            output.append(copying: bytes.span.extracting(0..<2))
        }
        #expect(output == Array("abAb".utf8))
    }
}
