// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineLeaks

/// An ordinary base64 encoder, as a reference for the forms.
func base64(_ bytes: [UInt8], isURLSafe: Bool = false) -> String {
    let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            + (isURLSafe ? "-_" : "+/")
    )
    var bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    while !bits.count.isMultiple(of: 6) { bits.append(0) }
    var text = ""
    for start in stride(from: 0, to: bits.count, by: 6) {
        text.append(alphabet[Int(bits[start..<start + 6].reduce(0) { $0 << 1 | $1 })])
    }
    while !text.count.isMultiple(of: 4) { text.append("=") }
    return text
}

@Suite("The forms of a value")
struct ValueFormTests {
    @Test("Base64 is found at each offset, whatever surrounds it, in either alphabet")
    func base64Offsets() throws {
        for length in 4...19 {
            // The bytes use all bits, so that the alphabets differ.
            let value = (0..<length).map { UInt8(truncatingIfNeeded: 0xFB &- $0 &* 37) }
            let index = ValueIndex([try #require(LeakValue(value, name: "v"))])
            for offset in 0..<6 {
                for isURLSafe in [false, true] {
                    for around in [UInt8(0), 0xFF, 0x5A] {
                        let before = [UInt8](repeating: around, count: offset)
                        let after = [UInt8](repeating: around, count: 4)
                        let text = base64(before + value + after, isURLSafe: isURLSafe)
                        #expect(count(text, index) > 0, "\(length) bytes at offset \(offset)")
                        let ending = base64(before + value, isURLSafe: isURLSafe)
                        #expect(count(ending, index) > 0, "\(length) bytes at the end")
                    }
                }
            }
        }
    }

    @Test("Base64 of another value does not match, even if it differs only in the bits at its ends")
    func base64Borders() throws {
        let value: [UInt8] = [0x41, 0x42, 0x43, 0x44, 0x45]
        let index = ValueIndex([try #require(LeakValue(value, name: "v"))])
        for offset in 0..<3 {
            for position in 0..<value.count {
                for bit in 0..<8 {
                    var other = value
                    other[position] ^= 1 << UInt8(bit)
                    let text = base64(
                        [UInt8](repeating: 0x20, count: offset) + other + [0x20, 0x20]
                    )
                    #expect(count(text, index) == 0, "bit \(bit) of byte \(position)")
                }
            }
        }
    }

    @Test("Hexadecimal text and UTF-16 are found in any case")
    func others() throws {
        let index = ValueIndex([try #require(LeakValue(Array("Pä7$x".utf8), name: "v"))])
        #expect(count("id=50C3A43724" + "78;", index) == 1)
        #expect(count("id=50c3a43724" + "78;", index) == 1)
        for isBig in [false, true] {
            let units = Array("xx pä7$X yy".utf16)
            let bytes = units.flatMap { unit in
                let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
                return isBig ? pair : pair.reversed()
            }
            var found = 0
            index.search(bytes.span) { _, _, coding in found += coding == .utf16 ? 1 : 0 }
            #expect(found == 1)
        }
        #expect(count("50C3A4372479", index) == 0)
    }

    @Test("Values of two characters and four bytes are found in UTF-16", arguments: ["éé", "€a"])
    func twoCharacters(text: String) throws {
        let index = ValueIndex([try #require(LeakValue(Array(text.utf8), name: "v"))])
        #expect(count("x\(text)y", index) == 1)
        for isBig in [false, true] {
            for before in ["", "x"] {
                let bytes = Array("\(before)\(text)".utf16).flatMap { unit in
                    let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
                    return isBig ? pair : pair.reversed()
                }
                var found = 0
                index.search(bytes.span) { _, _, coding in found += coding == .utf16 ? 1 : 0 }
                #expect(found > 0, "\(before)\(text), big-endian: \(isBig)")
            }
        }
    }

    @Test(
        "A value with letters outside ASCII is found in lower case, upper case and capitalized",
        arguments: ["Zoë Müller-Ödön", "zoë müller-ödön", "ZOË MÜLLER-ÖDÖN"]
    )
    func letterCases(value: String) throws {
        let index = ValueIndex([try #require(LeakValue(Array(value.utf8), name: "v"))])
        let texts = ["zoë müller-ödön", "ZOË MÜLLER-ÖDÖN", "Zoë Müller-Ödön"]
        for text in texts {
            #expect(count("x \(text) y", index) == 1, "\(text)")
            let hex = text.utf8.map { String($0, radix: 16) }.joined()
            #expect(count(hex, index) == 1, "\(text)")
            #expect(count(base64(Array(text.utf8)), index) == 1, "\(text)")
        }
    }

    @Test("Letters whose other case has another length are found, and nothing too short is")
    func lengthsOfCases() throws {
        let street = ValueIndex([try #require(LeakValue(Array("Grüßgasse".utf8), name: "v"))])
        #expect(["GRÜSSGASSE", "GRÜßGASSE", "grüßgasse"].map { count($0, street) } == [1, 1, 1])
        // The Kelvin sign has three bytes, and `k` has one.
        let kelvin = ValueIndex([try #require(LeakValue(Array("3\u{212A}".utf8), name: "v"))])
        #expect(count("3\u{212A}", kelvin) == 1)
        #expect(count("3k 3K", kelvin) == 0)
    }

    @Test("A value in ASCII, or that is no text, has one case")
    func oneCase() {
        #expect(ValueForm.letterCases(of: Array("Token".utf8)) == [Array("Token".utf8)])
        #expect(ValueForm.letterCases(of: [0xC3, 0x28, 0x41, 0x42]) == [[0xC3, 0x28, 0x41, 0x42]])
    }

    private func count(_ text: String, _ index: ValueIndex) -> Int {
        var found = 0
        index.search(Array(text.utf8).span) { _, _, _ in found += 1 }
        return found
    }
}
