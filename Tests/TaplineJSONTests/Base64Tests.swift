// SPDX-License-Identifier: MIT

import TaplineJSON
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
    func vectorsOfTheStandard(_ plain: String, _ encoded: String) {
        #expect(encode(Array(plain.utf8)) == encoded)
        #expect(decode(encoded) == Array(plain.utf8))
        #expect(decode(encoded, .lenient) == Array(plain.utf8))
    }

    @Test func anyBytesComeBack() {
        var random = Random(state: 3)
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
    func strictRefuses(_ text: String) {
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

    /// Texts of letters and blanks are no base64, whatever a file says of them.
    @Test(arguments: [
        "Z", "Zg=", "Zg===", "Zm8==", "Zm9v=", "Zh==", "Zh", "Zm9=", "Zm 9v", "Zm\t9v", "Zm9-",
        "Zm9_",
        "=", "====", "Zg==Zg==", "Not Found", "CONNECT", "hello world", "not-found-it",
    ])
    func linesAreStrictOtherwise(_ text: String) {
        #expect(decode(text, .lines) == nil)
    }

    @Test(arguments: ["Z", "Zm9vZ", "Zm9*", "Zg==Zg==", "Zg===", "é"])
    func lenientRefusesWhatHasNoMeaning(_ text: String) {
        #expect(decode(text, .lenient) == nil)
    }
}
