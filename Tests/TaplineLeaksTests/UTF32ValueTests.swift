// SPDX-License-Identifier: MIT

import TaplineCodings
import TestSupport
import Testing

@testable import TaplineLeaks

/// Encodes a text in UTF-32.
func utf32(_ text: String, isBig: Bool = false) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar -> [UInt8] in
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
        return isBig ? bytes.reversed() : bytes
    }
}

@Suite("Values in UTF-32")
struct UTF32ValueTests {
    private static let texts = [secret, "Zoë Müller", "pa€€wort", "\u{1F511}key\u{1F512}", "€a"]

    @Test("A value is found in either byte order, at any offset, in any case of ASCII letters")
    func found() throws {
        for text in Self.texts {
            let index = ValueIndex([try #require(LeakValue(Array(text.utf8), name: "v"))])
            for isBig in [false, true] {
                for offset in 0..<4 {
                    for mark in ["", "\u{FEFF}"] {
                        let bytes =
                            [UInt8](repeating: 7, count: offset)
                            + utf32("\(mark)x\(text.uppercased().lowercased())y", isBig: isBig)
                        let capitals =
                            [UInt8](repeating: 7, count: offset)
                            + utf32("\(mark)x\(text)y", isBig: isBig)
                        for coded in [bytes, capitals] {
                            var found: Set<Int> = []
                            index.search(coded.span) { range, _, _ in
                                found.insert(range.lowerBound / 4)
                            }
                            #expect(!found.isEmpty, "\(text), big-endian: \(isBig), \(offset)")
                        }
                    }
                }
            }
        }
    }

    @Test("A value is reported once, as UTF-32")
    func reported() throws {
        let scanner = try scanner(secret)
        for isBig in [false, true] {
            let plain = utf32("say \(secret) again", isBig: isBig)
            let hits = scanner.scan(plain.span)
            #expect(hits.map(\.codings) == [["utf-32"]])
            let packed = try coded(plain, .gzip)
            #expect(scanner.scan(packed.span).map(\.codings) == [["gzip", "utf-32"]])
        }
    }

    @Test("Encoded texts in a text in UTF-32 or UTF-16 are decoded, also if it is cut off")
    func nested() throws {
        let scanner = try scanner(secret)
        let percent = secret.utf8.map { "%" + String($0, radix: 16) }.joined()
        for isBig in [false, true] {
            let bytes = utf32("https://a.test/?q=\(percent)&x=1", isBig: isBig)
            for cut in 0..<4 {
                let part = bytes.dropLast(cut)
                #expect(scanner.scan(Array(part).span).count == 1, "\(isBig), \(cut)")
            }
            let units = "https://a.test/?q=\(percent)&x=1".utf16.flatMap { unit in
                let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
                return isBig ? pair : pair.reversed()
            }
            for cut in 0..<2 {
                let part = units.dropLast(cut)
                #expect(scanner.scan(Array(part).span).count == 1, "\(isBig), \(cut)")
            }
        }
    }

    @Test("A text in UTF-32 that is longer than a window is found, also percent-encoded")
    func windows() throws {
        let percent = secret.utf8.map { "%" + String($0, radix: 16) }.joined()
        for isBig in [false, true] {
            let filler = utf32(String(repeating: "filler. ", count: 6000), isBig: isBig)
            let bytes = filler + utf32(secret + " " + percent, isBig: isBig) + filler
            let scanner = try scanner(secret)
            var found = 0
            let scan = TextScan(isBinary: true, scanner, windowBytes: 1 << 15) { _ in found += 1 }
            for start in stride(from: 0, to: bytes.count, by: 9001) {
                scan.append(bytes.span.extracting(start..<min(start + 9001, bytes.count)))
            }
            scan.finish()
            // What is in two windows of a text in UTF-32 may be reported twice.
            #expect(found >= 2, "big-endian: \(isBig)")
        }
    }

    @Test("An erased value is replaced by as many characters, so that the text can be decoded")
    func erased() throws {
        for text in Self.texts {
            let eraser = try ValueEraser([try #require(LeakValue(Array(text.utf8), name: "v"))])
            for isBig in [false, true] {
                let stars = String(repeating: "*", count: text.unicodeScalars.count)
                let other = [UInt8](repeating: 0xEE, count: 64)
                let part = eraser.erase((other + utf32("a \(text) b", isBig: isBig)).span)
                let expected = other + utf32("a \(stars) b", isBig: isBig)
                #expect(part?.bytes == expected, "\(text), big-endian: \(isBig)")
                let whole = eraser.erase(utf32("a text with \(text)", isBig: isBig).span)
                let masked = utf32("a text with [erased]", isBig: isBig)
                #expect(whole?.bytes == masked, "\(text), big-endian: \(isBig)")
            }
        }
    }
}
