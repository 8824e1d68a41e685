// SPDX-License-Identifier: MIT

import TaplineJSON
import TestSupport
import Testing

@Suite struct Base64Tests {
    func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        Base64.encode(bytes.span, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    func decode(_ text: String, _ form: Base64.Form = .strict) -> [UInt8]? {
        var output: [UInt8] = [9]
        let wrong = Base64.decode(Array(text.utf8).span, form, into: &output)
        if wrong != nil {
            #expect(output == [9])
            return nil
        }
        return Array(output.dropFirst())
    }

    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func encodesTheVectorsOfTheRFC(_ plain: String, _ encoded: String) {
        #expect(encode(Array(plain.utf8)) == encoded)
        #expect(decode(encoded) == Array(plain.utf8))
        #expect(decode(encoded, .lenient) == Array(plain.utf8))
    }

    @Test func anyBytesRoundTrip() {
        var random = Random(seed: 3)
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let encoded = encode(bytes)
            #expect(decode(encoded) == bytes)
            let broken = encoded.enumerated().map { index, digit in
                (index % 7 == 6 ? "\r\n" : "") + String(digit)
            }.joined()
            #expect(decode(broken, .lenient) == bytes)
            let bare = encoded.replacing("=", with: "").replacing("+", with: "-")
            #expect(decode(bare.replacing("/", with: "_"), .lenient) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "Zm9v=", "Zh==", "Zm9=", "Zm 9v", "Zm9v\n",
        "Zm9-", "Zm9_Zm9v", "=", "====", "Zg==Zg==", "Zm9v\u{0}", "Zm9é",
    ])
    func strictRejectsInvalidTexts(_ text: String) {
        #expect(decode(text) == nil)
    }

    @Test(arguments: [
        ("Zg==", "f"), ("Zg", "f"), ("Zm8", "fo"), ("Zm\r\n9v\n", "foo"), ("Zg\n=\n=", "f"),
        ("", ""),
        ("\n", ""),
    ])
    func linesMayBreak(_ encoded: String, _ plain: String) {
        #expect(decode(encoded, .lines) == Array(plain.utf8))
    }

    /// Texts of letters and blanks are not base64, whatever a file declares.
    @Test(arguments: [
        "Z", "Zg=", "Zg===", "Zm8==", "Zm9v=", "Zh==", "Zh", "Zm9=", "Zm 9v", "Zm\t9v", "Zm9-",
        "Zm9_",
        "=", "====", "Zg==Zg==", "Not Found", "CONNECT", "hello world", "not-found-it",
    ])
    func linesAreOtherwiseStrict(_ text: String) {
        #expect(decode(text, .lines) == nil)
    }

    @Test(arguments: ["Z", "Zm9vZ", "Zm9*", "Zg==Zg==", "Zg===", "é"])
    func lenientRejectsUndecodableTexts(_ text: String) {
        #expect(decode(text, .lenient) == nil)
    }

    /// RFC 4648 section 5, with and without padding.
    @Test(arguments: [
        ([], "", ""), ([0xFF], "_w", "_w=="), ([0xFF, 0xFE], "__4", "__4="),
        ([0xFB, 0xEF, 0xBE], "----", "----"), ([0, 0x10, 0x83, 0x10], "ABCDEA", "ABCDEA=="),
    ])
    func usesTheAlphabetForURLs(_ bytes: [UInt8], _ bare: String, _ padded: String) {
        for (isPadded, expected) in [(false, bare), (true, padded)] {
            var output: [UInt8] = [9]
            output.append(addingCapacity: Base64.encodedCount(of: bytes.count)) { output in
                Base64.encode(bytes.span, .url, isPadded: isPadded, into: &output)
            }
            #expect(String(decoding: output, as: UTF8.self) == "\t" + expected)
            #expect(decode(expected, .compact) == bytes)
        }
    }

    @Test(arguments: [
        ("", ""), ("Zg", "f"), ("Zg==", "f"), ("Zh", "f"), ("Zh==", "f"), ("Zm8", "fo"),
        ("Zm8=", "fo"), ("Zm9", "fo"), ("Zm9v", "foo"), ("fn5-", "~~~"), ("fn5+", "~~~"),
        ("fn5-fn5+", "~~~~~~"),
    ])
    func compactAcceptsEitherAlphabetWithOrWithoutPadding(_ encoded: String, _ plain: String) {
        #expect(decode(encoded, .compact) == Array(plain.utf8))
    }

    @Test(arguments: [
        "Z", "Zg=", "Zg===", "Zm8==", "Zm9v=", "Zm9v==", "Zm9vZ", "=", "==", "===", "====",
        "Zg==Zg==", "Zm 9v", "Zm9v ", "Zm9v\n", " Zm9v", "Zm9*", "Zm9v\u{0}", "é", "Z===", "=Zg=",
    ])
    func compactRejectsBlanksAndIncompletePadding(_ text: String) {
        #expect(decode(text, .compact) == nil)
    }

    @Test func insufficientMemoryIsAProgrammingError() async {
        await #expect(processExitsWith: .failure) {
            var output: [UInt8] = []
            output.append(addingCapacity: 3) { output in
                Base64.encode([1].span, into: &output)
            }
        }
    }
}
